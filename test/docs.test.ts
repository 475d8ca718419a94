import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { CHAIN_IDS, GENRES, METRICS, PLANS, WINDOWS } from '../schemas/catalog.js';
import { bundlePath, dayPath, manifestPath } from '../schemas/paths.js';
import type { Window } from '../schemas/types.generated.js';
import { createMemoryStore } from '../infra/store/memory-store.js';
import { createProgram as createGatewayProgram } from '../gateway/cli.js';
import { EXIT_CODES as GATEWAY_EXIT_CODES } from '../gateway/core/exit-codes.js';
import { PROBLEMS } from '../gateway/core/problems.js';
import { DRIFT_CAUSES } from '../gateway/core/billing/drift.js';
import { OUTCOMES } from '../gateway/core/billing/grant-from-subscription.js';
import { STRIPE_EVENTS } from '../gateway/core/billing/stripe-events.js';
import { STATUSES } from '../gateway/core/billing/subscription.js';
import { EVENT_OUTCOMES } from '../gateway/io/billing/event-taker.js';
import { variableRows } from '../gateway/core/variables.js';
import { createProgram } from '../generator/cli.js';
import { EXIT_CODES } from '../generator/core/generator-error.js';
import { publishSeries } from './fixtures/publish-series.js';
import { randomSeries } from './fixtures/random-series.js';

const root = path.join(import.meta.dirname, '..');
const readme = await readFile(path.join(root, 'README.md'), 'utf8');

/** The rows of the table under a header row, cells without their back quotes. */
function tableUnder(header: string): string[][] {
  const lines = readme.split('\n').map((line) => line.replace(/\s+/g, ' ').replace(/-{3,}/g, '---'));
  const start = lines.indexOf(header);
  if (start < 0) throw new Error(`README has no table ${header}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replace(/^`|`$/g, '')),
  );
}

const program = createProgram(
  { now: () => 0, run: () => Promise.resolve() },
  { print: () => undefined, warn: () => undefined },
);

type Listed = { readonly name: string; readonly command: Command };

/** The commands of a program that do something, by their whole names. */
function leavesOf(command: Command, prefix = ''): Listed[] {
  return command.commands.flatMap((each) => {
    const name = `${prefix}${each.name()}`;
    return each.commands.length > 0 ? leavesOf(each, `${name} `) : [{ name, command: each }];
  });
}

const gateway = leavesOf(
  createGatewayProgram({ run: () => Promise.resolve() }, { print: () => undefined, warn: () => undefined }),
);

describe('the README, on the gateway', () => {
  it('lists the commands as the program describes them', () => {
    const rows = gateway.map(({ name, command }) => [`gateway ${name}`, command.description()]);
    expect(tableUnder('| command of the gateway | what it does |')).toEqual(rows);
  });

  it('lists every option with the commands that have it', () => {
    const flags = [...new Set(gateway.flatMap(({ command }) => command.options.map((each) => each.flags)))];
    const rows = flags.map((each) => {
      const having = gateway.filter(({ command }) => command.options.some((option) => option.flags === each));
      const texts = having.map(
        ({ command }) => command.options.find((option) => option.flags === each)?.description,
      );
      expect(new Set(texts).size).toBe(1);
      return [each, having.map(({ name }) => name).join(', '), texts[0]];
    });
    expect(tableUnder('| option of the gateway | of | meaning |')).toEqual(rows);
  });

  it('lists the exit codes', () => {
    const rows = Object.entries(GATEWAY_EXIT_CODES).map(([name, { code, meaning }]) => [
      String(code),
      name,
      meaning,
    ]);
    expect(tableUnder('| code of the gateway | name | meaning |')).toEqual(rows);
  });

  it('lists the problems', () => {
    const rows = Object.entries(PROBLEMS).map(([code, { status, meaning }]) => [
      code,
      String(status),
      meaning,
    ]);
    expect(tableUnder('| problem | status | when |')).toEqual(rows);
  });

  it('lists what each status of a subscription gives', () => {
    const rows = Object.entries(STATUSES).map(([status, { access, meaning }]) => [status, access, meaning]);
    expect(tableUnder('| status at Stripe | access | meaning |')).toEqual(rows);
  });

  it('lists what can come of a subscription', () => {
    const toWord = (is: boolean): string => (is ? 'yes' : 'no');
    const rows = Object.entries(OUTCOMES).map(([outcome, { gives, alerts, meaning }]) => [
      outcome,
      toWord(gives),
      toWord(alerts),
      meaning,
    ]);
    expect(tableUnder('| outcome | gives access | alerts | meaning |')).toEqual(rows);
  });

  it('lists the events that are listened to, and what comes of them', () => {
    const events = Object.entries(STRIPE_EVENTS).map(([type, { meaning }]) => [type, meaning]);
    expect(tableUnder('| event of Stripe | what happened |')).toEqual(events);
    expect(tableUnder('| outcome of an event | meaning |')).toEqual(Object.entries(EVENT_OUTCOMES));
  });

  it('lists what reconciling finds', () => {
    const rows = Object.entries(DRIFT_CAUSES).map(([cause, { mends, meaning }]) => [
      cause,
      mends ? 'yes' : 'no',
      meaning,
    ]);
    expect(tableUnder('| cause of drift | put right by `--apply` | meaning |')).toEqual(rows);
  });

  it('lists the variables', () => {
    expect(tableUnder('| variable | default | meaning |')).toEqual(variableRows());
  });

  it('lists the plans', () => {
    const header =
      '| plan | name | chains | bundles of meta, gold and derived | manifests, day files and their revisions | briefs | USD a month |';
    const rows = Object.entries(PLANS).map(
      ([id, { name, chains, windows, archive, briefs, monthlyCents }]) => [
        id,
        name,
        chains === 'all' ? 'all' : 'one',
        windows.join(', '),
        archive ? 'yes' : 'no',
        briefs === 'all' ? 'all' : 'the latest',
        String(monthlyCents / 100),
      ],
    );
    expect(tableUnder(header)).toEqual(rows);
  });
});

describe('the README', () => {
  it('lists the commands as the program describes them', () => {
    const commands = program.commands.map((command) => [
      `generator ${command.name()}`,
      command.description(),
    ]);
    expect(tableUnder('| command | what it does |')).toEqual(commands);
  });

  it('lists every option with the commands that have it', () => {
    const options = new Map<string, { commands: string[]; text: string }>();
    for (const command of program.commands) {
      for (const { flags, description } of command.options) {
        const known = options.get(flags)?.commands ?? [];
        options.set(flags, { commands: [...known, command.name()], text: description });
      }
    }
    const rows = [...options].map(([flags, { commands, text }]) => [
      flags,
      commands.length === program.commands.length ? 'all' : commands.join(', '),
      text,
    ]);
    const byFlag = (a: string[], b: string[]): number => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1);
    expect(tableUnder('| option | of | meaning |').sort(byFlag)).toEqual(rows.sort(byFlag));
  });

  it('lists the exit codes', () => {
    const rows = Object.entries(EXIT_CODES).map(([name, { code, meaning }]) => [String(code), name, meaning]);
    expect(tableUnder('| code | name | meaning |')).toEqual(rows);
  });

  it('lists the metrics of the catalog', () => {
    const rows = Object.entries(METRICS).map(([name, { unit, chains }]) => [
      name,
      unit,
      chains.length === CHAIN_IDS.length ? 'all' : chains.join(', '),
    ]);
    expect(tableUnder('| metric | unit | chains |')).toEqual(rows);
  });

  it('lists the files that a release holds, and no others', async () => {
    const store = createMemoryStore();
    const inputs = CHAIN_IDS.map((chain, seed) => randomSeries({ chain, seed, days: 2 }));
    await publishSeries(store, { inputs, asOf: '2022-01-03' });
    const files = new Map<string, string>();
    for await (const { key } of store.list('releases/')) {
      const record = JSON.parse(Buffer.from((await store.get(key))?.bytes ?? []).toString());
      for (const [name, { type }] of Object.entries(record.public as Record<string, { type: string }>)) {
        const shown = name.replace(new RegExp(`/(${CHAIN_IDS.join('|')})(?=[/.]|$)`), '/<chain>');
        const folded = shown.replace(/^\/problems\/.*/, '/problems/<code>');
        files.set(folded.replace(/(?<=\/examples\/).*/, '<file>'), type);
      }
    }
    const listed = tableUnder('| path | type | content |').map(([name, type]) => [name, type]);
    expect(listed.sort()).toEqual([...files].sort());
  });

  it('lists the paths of subscriber files', () => {
    const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
    const paths = (['meta', 'briefs'] as const).flatMap((genre) =>
      [
        dayPath(genre, 'base', '2022-01-01').replace('2022-01-01', '<date>'),
        ...windows.map((window) => bundlePath(genre, 'base', window)),
        manifestPath(genre, 'base'),
      ].map((name) => name.replace('/base/', '/<chain>/').replace('/meta/', '/<genre>/')),
    );
    expect(tableUnder('| path | content |').map(([name]) => name)).toEqual(paths);
    const [last = '', ...others] = GENRES.filter((genre) => genre !== 'briefs').reverse();
    expect(readme).toContain(`\`<genre>\` is \`${others.reverse().join('`, `')}\` or \`${last}\``);
  });

  it('names folders and scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    for (const [command = ''] of tableUnder('| script | what it does |')) {
      const [name = ''] = command.replace(/^npm (run )?/, '').split(' ');
      expect(Object.keys(scripts as object)).toContain(name);
    }
    for (const [folder = ''] of tableUnder('| folder | what it holds |')) {
      await expect(readFile(path.join(root, folder))).rejects.toMatchObject({ code: 'EISDIR' });
    }
  });
});
