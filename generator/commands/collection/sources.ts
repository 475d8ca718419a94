import { count } from '../../../schemas/words.js';
import { Argument, type Command, Option } from 'commander';
import type { Chain, SourcesPolicy } from '../../../schemas/types.generated.js';
import {
  checkExitOf,
  checkSources,
  diffSources,
  formatCheck,
  formatDiff,
  formatSourceList,
  listSources,
} from '../../collect/inspect-sources.js';
import { suggestedWord, suggestSimilar, withChoices } from '../../../infra/process/choice.js';
import { readCollection } from '../../collect/collection-store.js';
import { planChains, SOURCE_KINDS } from '../../collect/policy.js';
import {
  chainsOf,
  dateOption,
  filesOption,
  loadSources,
  policyOf,
  policyOption,
  sourceContext,
  withCache,
} from './collect.js';
import {
  addGeneratorCommand,
  chainsOption,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
} from '../common/options.js';
import { writeFile } from 'node:fs/promises';
import { addDays, toDate } from '../../../schemas/dates.js';
import { codeOf } from '../../../infra/store/system-error.js';
import { drawRatioChart } from '../../core/charts/ratio-chart.js';
import { type ExitName, GeneratorError } from '../../core/generator-error.js';
import type { Source } from '../../sources/source.js';

type ListOptions = CommonOptions & {
  readonly policy?: string;
  readonly from?: (typeof SOURCE_KINDS)[number];
  readonly input?: string;
  readonly into?: string;
};

type CheckOptions = Omit<ListOptions, 'into'> & {
  readonly chain?: readonly Chain[];
  readonly cache?: string;
};

/** Adds `sources`, which shows, checks and compares the sources of a policy. It writes nothing to a store. */
export function addSources(program: Command, host: CommandHost): void {
  const sources = program.command('sources').description('Show, check and compare the sources of a policy.');
  addList(sources, host);
  addCheck(sources, host);
  addDiff(sources, host);
}

function addList(sources: Command, host: CommandHost): void {
  addGeneratorCommand(sources, {
    name: 'list',
    description:
      'Show the terms and definitions of each source of a policy, and which chain uses it for what.',
    options: [
      policyOption(),
      fromOption(),
      filesOption(),
      new Option('--into <address>', 'address of what is collected, to show the last success of each source'),
    ],
    example: 'generator sources list --policy sources.policy.json --into file:./data/collected',
  }).action((options: ListOptions) =>
    host.run('sources list', options, async (context) => {
      const policy = await policyOf(options, context);
      const { into } = options;
      const ledgers =
        into === undefined ? undefined : (await readCollection(await context.openStore(into))).ledgers;
      const listed = await withCache(undefined, async (cacheFolder) => {
        const terms = { ...policy, commercial: false }; // a source that may not be used is listed too
        const machine = sourceContext(options, cacheFolder, context, 'list');
        const found = await loadSources(terms, chainsOf(policy, {}), machine);
        return listSources(policy, found, ledgers ?? new Map());
      });
      context.show(
        { schema: 'sources-list/1', sources: listed },
        formatSourceList(listed, ledgers !== undefined),
      );
      return 'done';
    }),
  );
}

function addCheck(sources: Command, host: CommandHost): void {
  addGeneratorCommand(sources, {
    name: 'check',
    description:
      'Compare the form of what each source serves now with what its adapter expects, item by item.',
    options: [
      policyOption(),
      fromOption(),
      filesOption(),
      chainsOption(
        '--chain',
        'check only the sources of this chain; repeatable (default: all chains of the policy)',
      ),
    ],
    note: 'Exits 3 if anything differs, 7 if a source does not answer.',
    example: 'generator sources check --policy sources.policy.json',
  }).action((options: CheckOptions) =>
    host.run('sources check', options, async (context) => {
      const policy = await policyOf(options, context);
      const chains = chainsOf(policy, options);
      const checked = await withCache(undefined, async (cacheFolder) => {
        const terms = { ...policy, commercial: false }; // checking a source does not sell its data
        const machine = sourceContext(options, cacheFolder, context, 'check');
        const found = await loadSources(terms, chains, machine);
        context.progress.begin('collect');
        const all = await checkSources(planChains(policy, chains, found), context.signal, () =>
          context.progress.advance(),
        );
        context.progress.end();
        return all;
      });
      for (const { chain, source, items, error } of checked) {
        if (error !== null) context.warn(`${chain}: ${error.message}`);
        else if (items.length === 0) context.warn(`${chain}: ${source} has nothing to check.`);
        const differing = items.filter(({ agrees }) => !agrees).length;
        if (differing > 0) context.warn(`${chain}: ${source} differs in ${count(differing, 'item')}.`);
      }
      context.show({ schema: 'sources-check/1', checked }, formatCheck(checked, context.paint));
      return checkExitOf(checked);
    }),
  );
}

function addDiff(sources: Command, host: CommandHost): void {
  const command = addGeneratorCommand(sources, {
    name: 'diff',
    description:
      'Compare two sources of a policy over a span of dates: ratios, and dates that only one of them has.',
    options: [
      policyOption().makeOptionMandatory(),
      chainsOption('--chain', 'the chain to compare').makeOptionMandatory(),
      dateOption('--since', 'first date (default: 59 dates before the last one)'),
      dateOption('--until', 'last date (default: yesterday)'),
      new Option('--svg <file>', 'write a chart of the ratios to this file'),
      new Option('--cache <dir>', "folder for raw data of a day (default: the system's temporary folder)"),
    ],
    example:
      'generator sources diff aws growthepie --policy sources.policy.json --chain ethereum --svg ethereum.svg',
  });
  command.addArgument(new Argument('<a>', 'name of a source in the policy'));
  command.addArgument(new Argument('<b>', 'name of another one'));
  command.action((a: string, b: string, options: DiffOptions) =>
    host.run('sources diff', options, (context) => runDiff(a, b, options, context)),
  );
}

function fromOption(): Option {
  const option = new Option('--from <kind>', 'a source with the default rules, without a policy');
  return withChoices(option, 'Allowed choices', SOURCE_KINDS);
}

const DAY_MS = 86_400_000;
/** Number of dates that are compared by default. */
const DATES = 60;

type DiffOptions = CommonOptions & {
  readonly policy: string;
  readonly chain: readonly Chain[];
  readonly since?: string;
  readonly until?: string;
  readonly svg?: string;
  readonly cache?: string;
};

/** Compares two sources of a policy, shows the result, and writes the chart. */
async function runDiff(
  a: string,
  b: string,
  options: DiffOptions,
  context: CommandContext,
): Promise<ExitName> {
  const policy = await policyOf(options, context);
  const [chain, ...others] = options.chain;
  if (chain === undefined || others.length > 0)
    throw new GeneratorError('usage', 'Name one chain with --chain.');
  const { until: last = toDate(Math.floor(context.now() / DAY_MS) - 1) } = options;
  const { since: first = addDays(last, 1 - DATES) } = options;
  if (first > last) throw new GeneratorError('usage', `There is no date from ${first} to ${last}.`);
  const metrics = await withCache(options.cache, async (cacheFolder) => {
    const paired = pairOf(policy, chain, a, b, first);
    const sources = await loadSources(paired, [chain], sourceContext(options, cacheFolder, context));
    context.progress.begin('collect');
    const found = await diffSources({
      chain,
      a: sourceOf(sources, a),
      b: sourceOf(sources, b),
      span: { first, last },
      signal: context.signal,
      onDate: () => context.progress.advance(),
    });
    context.progress.end();
    return found;
  });
  if (options.svg !== undefined) {
    await writeChart(
      options.svg,
      drawRatioChart({ title: `${chain}: ${a} divided by ${b}`, lines: metrics }),
    );
  }
  const document = { schema: 'sources-diff/1', chain, a, b, since: first, until: last, metrics };
  context.show(document, [`${chain}, ${first} to ${last}`, formatDiff(metrics, { a, b })].join('\n'));
  return 'done';
}

/** Returns the policy with only the two sources. @throws GeneratorError 'usage' if it does not have them */
function pairOf(policy: SourcesPolicy, chain: Chain, a: string, b: string, since: string): SourcesPolicy {
  const names = Object.keys(policy.sources);
  for (const name of [a, b]) {
    if (names.includes(name)) continue;
    const similar = suggestSimilar(name, names);
    const right = suggestedWord(similar);
    throw new GeneratorError(
      'usage',
      `The policy has no source ${name}; it has ${names.join(', ')}.${similar}`,
      { next: right === undefined ? undefined : (args) => args.map((arg) => (arg === name ? right : arg)) },
    );
  }
  if (a === b) throw new GeneratorError('usage', 'Name two different sources.');
  const sources = Object.fromEntries(
    Object.entries(policy.sources).filter(([name]) => name === a || name === b),
  );
  return {
    ...policy,
    commercial: false,
    sources,
    chains: { [chain]: { source: a, since, check: [{ source: b }] } },
  };
}

function sourceOf(sources: ReadonlyMap<string, Source>, name: string): Source {
  const source = sources.get(name);
  if (source === undefined) throw new RangeError(`no source ${name}`);
  return source;
}

async function writeChart(file: string, svg: string): Promise<void> {
  await writeFile(file, svg).catch((error: unknown) => {
    const code = codeOf(error) ?? 'unknown';
    throw new GeneratorError('usage', `--svg ${file} cannot be written (${code}).`, { cause: error });
  });
}
