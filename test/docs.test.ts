import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS, GENRES, METRICS, WINDOWS } from '../schemas/catalog.js';
import { bundlePath, dayPath, manifestPath } from '../schemas/paths.js';
import type { Window } from '../schemas/types.generated.js';
import { createMemoryStore } from '../infra/store/memory-store.js';
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
        files.set(name.replace(new RegExp(`/(${CHAIN_IDS.join('|')})(?=/|$)`), '/<chain>'), type);
      }
    }
    const listed = tableUnder('| path | type | content |').map(([name, type]) => [name, type]);
    expect(listed.sort()).toEqual([...files].sort());
  });

  it('lists the paths of subscriber files', () => {
    const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
    const paths = [
      dayPath('meta', 'base', '2022-01-01').replace('2022-01-01', '<date>'),
      ...windows.map((window) => bundlePath('meta', 'base', window)),
      manifestPath('meta', 'base'),
    ].map((name) => name.replace('/meta/base/', '/<genre>/<chain>/'));
    expect(tableUnder('| path | content |').map(([name]) => name)).toEqual(paths);
    expect(readme).toContain(
      `\`<genre>\` is \`${GENRES.slice(0, -1).join('`, `')}\` or \`${GENRES.at(-1) ?? ''}\``,
    );
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
