import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHAIN_IDS, METRICS } from '../../../schemas/catalog.js';
import { parseDate } from '../../../schemas/dates.js';
import type { Chain, MetricName, PolicyEngine, SourcesPolicy } from '../../../schemas/types.generated.js';
import { suggestSimilar, withChoices } from '../../../infra/process/choice.js';
import { collectChains, type CollectionResult } from '../../collect/collect-chains.js';
import type { SourceContext } from '../../collect/create-sources.js';
import {
  type Acceptances,
  defaultPolicy,
  describeSources,
  filesPolicy,
  planChains,
  readPolicy,
  SOURCE_KINDS,
} from '../../collect/policy.js';
import {
  type AcceptableValue,
  collectExitOf,
  describeProblems,
  formatCollectReport,
  toCollectReport,
} from '../../collect/collect-report.js';
import { GeneratorError } from '../../core/generator-error.js';
import { ensureSafe } from '../../../infra/store/store-safety.js';
import { openInputFolder } from '../../input/input-folder.js';
import type { Source } from '../../sources/source.js';
import { assertNotAhead, machineClock } from '../../state/trusted-clock.js';
import {
  addGeneratorCommand,
  asOfOption,
  asOfOrNow,
  chainsOption,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  parseReason,
  singleWriterOption,
} from '../common/options.js';
import { formatShellCommand, withoutOption, wordsOfOption } from '../../../infra/process/shell-command.js';
import { REASON_PLACEHOLDER, type CommandLine } from '../common/next-command.js';
import { toMetricValue } from '../../core/collection/day-values.js';

type CollectOptions = CommonOptions & {
  readonly into: string;
  readonly policy?: string;
  readonly from?: (typeof SOURCE_KINDS)[number];
  readonly input?: string;
  readonly chain?: readonly Chain[];
  readonly since?: string;
  readonly until?: string;
  readonly asOf?: number;
  readonly accept?: readonly NamedValue[];
  readonly reason?: string;
  readonly engine?: PolicyEngine['kind'];
  readonly cache?: string;
  readonly dryRun?: boolean;
  readonly singleWriter?: boolean;
};

const ENGINES = ['duckdb', 'trino', 'athena'] as const satisfies readonly PolicyEngine['kind'][];

function collectOptions(): Option[] {
  return [
    intoOption(),
    policyOption(),
    withChoices(
      new Option('--from <kind>', 'collect from this source with the default rules, without a policy'),
      'Allowed choices',
      SOURCE_KINDS,
    ),
    filesOption(),
    chainsOption('--chain', 'collect only this chain; repeatable (default: all chains of the policy)'),
    dateOption('--since', 'first date of a chain that has no values yet'),
    dateOption('--until', 'last date (default: the last one that is due)'),
    acceptOption(),
    new Option('--reason <text>', 'public reason of what --accept accepts').argParser(parseReason),
    withChoices(
      new Option('--engine <kind>', 'what runs the SQL: duckdb, or what the policy describes'),
      'Allowed choices',
      ENGINES,
    ),
    new Option('--cache <dir>', "folder for raw data of a day (default: the system's temporary folder)"),
    new Option('--dry-run', 'show what would be accepted, without writing anything'),
    asOfOption(),
    singleWriterOption(),
  ];
}

/** Adds `collect`, which fetches daily metrics, judges them by the rules, and keeps them as an input of `publish`. */
export function addCollect(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'collect',
    description:
      'Fetch daily metrics from their sources, judge them by the rules, and keep them as an input of publish.',
    options: collectOptions(),
    example: 'generator collect --policy sources.policy.json --into file:./data/collected',
  }).action((options: CollectOptions) =>
    host.run('collect', options, async (context) => {
      const policy = await policyOf(options, context);
      const chains = chainsOf(policy, options);
      const accepted = acceptancesOf(options);
      const asOfMs = asOfOrNow(options.asOf, context.now);
      assertNotAhead(asOfMs, machineClock(context.now));
      const store = await context.openStore(options.into);
      const { dryRun: isDryRun = false, singleWriter = false } = options;
      if (!isDryRun) await ensureSafe(store, { ...context, singleWriter });
      const result = await withCache(options.cache, async (cacheFolder) => {
        const sources = await loadSources(policy, chains, sourceContext(options, cacheFolder, context));
        const { since, until } = options;
        const plans = planChains(policy, chains, sources, {
          ...(since === undefined ? {} : { since }),
          ...(until === undefined ? {} : { until }),
        });
        return collectChains({
          store,
          plans,
          asOfMs,
          isDryRun,
          sources: describeSources(sources),
          progress: context.progress,
          signal: context.signal,
          ended: endedBy(policy, options),
          ...(accepted ? { accepted } : {}),
        });
      });
      for (const chain of result.ended) {
        context.warn(
          `${chain}: was collected before, but is not in this policy, so its metrics are no longer awaited. Use one policy with all chains.`,
        );
      }
      findUnused(options.accept ?? [], result).forEach(context.warn);
      return show(result, { address: store.address, asOfMs, isDryRun }, context);
    }),
  );
}

function show(
  result: CollectionResult,
  run: { readonly address: string; readonly asOfMs: number; readonly isDryRun: boolean },
  context: CommandContext,
): ReturnType<typeof collectExitOf> {
  const report = toCollectReport(result, run);
  const { commandLine } = context;
  describeProblems(report, {
    accept: (chain, values) => formatAcceptValues(commandLine, chain, values),
    check: (chain) => formatSourcesCheck(commandLine, chain),
  }).forEach(context.warn);
  context.show(report, formatCollectReport(report));
  return collectExitOf(report);
}

function intoOption(): Option {
  return new Option(
    '--into <address>',
    'address of the collection: file:PATH or s3://bucket/prefix; not a release store',
  ).makeOptionMandatory();
}

export function policyOption(): Option {
  return new Option('--policy <file>', 'the sources of each chain and the rules, as JSON');
}

export function filesOption(): Option {
  return new Option(
    '--input <dir>',
    'PATH, file:PATH or s3://bucket/prefix with a CSV file per chain, for --from files',
  );
}

/** Returns the policy of a command line. @throws GeneratorError 'usage' */
export async function policyOf(
  options: Pick<CollectOptions, 'policy' | 'from' | 'input' | 'engine'>,
  { openStore }: Pick<CommandContext, 'openStore'>,
): Promise<SourcesPolicy> {
  const { policy: file, from, input, engine } = options;
  if ((file === undefined) === (from === undefined)) {
    throw new GeneratorError('usage', 'Name either a policy with --policy, or a source with --from.');
  }
  if ((from === 'files') !== (input !== undefined)) {
    throw new GeneratorError(
      'usage',
      '--from files needs --input <dir>, and --input <dir> needs --from files. Give both or neither.',
    );
  }
  const policy = await readOrMakePolicy(file, from, input, openStore);
  if (engine === undefined || engine === (policy.engine?.kind ?? 'duckdb')) return policy;
  if (engine === 'duckdb') return { ...policy, engine: { kind: 'duckdb' } };
  throw new GeneratorError(
    'usage',
    `--engine ${engine} needs a policy whose engine has "kind": "${engine}" and says where it is.`,
  );
}

async function readOrMakePolicy(
  file: string | undefined,
  from: (typeof SOURCE_KINDS)[number] = 'files',
  input = '.',
  openStore: CommandContext['openStore'],
): Promise<SourcesPolicy> {
  if (file !== undefined) return readPolicy(file);
  if (from !== 'files') return defaultPolicy(from);
  const names = await (await openInputFolder(input, openStore)).list();
  const chains = CHAIN_IDS.filter((chain) => names.includes(`${chain}.csv`));
  if (chains.length > 0) return filesPolicy(input, chains);
  const wanted = CHAIN_IDS.map((chain) => `${chain}.csv`).join(', ');
  throw new GeneratorError(
    'usage',
    `${input} contains none of ${wanted}. Name the folder of your files with --input.`,
  );
}

/** Returns the chains of a command line. @throws GeneratorError 'usage' for one that the policy does not have */
export function chainsOf(policy: SourcesPolicy, { chain }: Pick<CollectOptions, 'chain'>): readonly Chain[] {
  const known = CHAIN_IDS.filter((each) => policy.chains[each] !== undefined);
  for (const each of chain ?? []) {
    if (known.includes(each)) continue;
    throw new GeneratorError('usage', `The policy has no chain ${each}; it has ${known.join(', ')}.`);
  }
  return chain ?? known;
}

/** Returns the chains that a policy file leaves out. `--from` is a policy for its own chains only. */
function endedBy(policy: SourcesPolicy, { policy: file }: CollectOptions): readonly Chain[] {
  return file === undefined ? [] : CHAIN_IDS.filter((chain) => policy.chains[chain] === undefined);
}

/** Creates the sources of a policy. Their clients and engines are loaded only now, because they take long. */
export async function loadSources(
  policy: SourcesPolicy,
  chains: readonly Chain[],
  context: SourceContext,
): Promise<ReadonlyMap<string, Source>> {
  const { createSources } = await import('../../collect/create-sources.js');
  return createSources(policy, chains, context);
}

/** Returns what sources need of the machine. */
export function sourceContext(
  { policy }: Pick<CollectOptions, 'policy'>,
  cacheFolder: string,
  { openStore, signal }: CommandContext,
  purpose: SourceContext['purpose'] = 'collect',
): SourceContext {
  const policyFolder = path.dirname(path.resolve(policy ?? '.policy'));
  return { policyFolder, cacheFolder, environment: process.env, openStore, signal, purpose };
}

/** Runs work with a new folder in the cache, which is removed afterwards. */
export async function withCache<T>(
  folder: string | undefined,
  work: (cacheFolder: string) => Promise<T>,
): Promise<T> {
  const cache = await mkdtemp(path.join(folder ?? tmpdir(), 'collect-')).catch((error: unknown) => {
    throw new GeneratorError(
      'usage',
      `--cache ${folder ?? ''}: cannot create a folder there. Name a writable folder.`,
      {
        cause: error,
      },
    );
  });
  try {
    return await work(cache);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

/** Returns an option whose value is a date. */
export function dateOption(flag: '--since' | '--until', description: string): Option {
  return new Option(`${flag} <date>`, description).argParser(parseDateOption);
}

function parseDateOption(text: string): string {
  if (parseDate(text) === undefined) throw new InvalidArgumentError('Write a date as 2026-08-19.');
  return text;
}

/** Options of a run of `collect` that a proposed command omits or replaces. */
const OWN_VALUES = ['--accept', '--reason', '--chain', '--report'];
const OWN_FLAGS = ['--dry-run', '--json', '--quiet', '--log-json'];

/** Returns the command line that accepts values of a chain, with all other options that were given. */
function formatAcceptValues(
  { program, args }: CommandLine,
  chain: Chain,
  values: readonly AcceptableValue[],
): string {
  const [, ...options] = OWN_VALUES.reduce(withoutOption, args).filter((arg) => !OWN_FLAGS.includes(arg));
  const accepts = values.flatMap((each) => ['--accept', formatNamed(each)]);
  const own = ['--chain', chain, ...accepts, '--reason', REASON_PLACEHOLDER];
  return formatShellCommand([...program, 'collect', ...options, ...own]);
}

/** Returns the command line that compares the form of a chain's sources with what their adapters expect. */
function formatSourcesCheck({ program, args }: CommandLine, chain: Chain): string {
  const named = ['--policy', '--from', '--input', '--endpoint'].flatMap((option) =>
    wordsOfOption(args, option),
  );
  return formatShellCommand([...program, 'sources', 'check', ...named, '--chain', chain]);
}

/** Returns a message for each `--accept` that has had no effect, with the reason. */
function findUnused(accept: readonly NamedValue[], { chains }: CollectionResult): string[] {
  const results = [...chains.values()];
  const lines = results.flatMap((each) => each.lines);
  const days = results.flatMap((each) => each.days);
  const kept = results.flatMap(({ state }) => state.decisions ?? []);
  return accept.flatMap((named) => {
    const { date, metric, value } = named;
    const taken = lines.findLast((line) => line.date === date && line.values[metric] !== undefined);
    const said = days.findLast((day) => day.date === date)?.said?.[metric];
    if (value !== undefined && said !== undefined && said !== value)
      return [`--accept ${formatNamed(named)} accepted nothing: the source has ${said} now, not ${value}.`];
    if (taken !== undefined) return [];
    if (kept.some((each) => each.date === date && each.metric === metric)) {
      const lacking = days.findLast((day) => day.date === date)?.missing.join(', ') ?? '';
      return [
        `--accept ${formatNamed(named)} takes effect when the source also has ${lacking} for the date.`,
      ];
    }
    return [
      `--accept ${formatNamed(named)} changed nothing: the value is already accepted, the source does not have it, or the date is too old to be read again.`,
    ];
  });
}

/** A value of a date, as `--accept` names it. Without `value`, whatever the source gives is accepted. */
type NamedValue = { readonly date: string; readonly metric: MetricName; readonly value?: string };

/** Returns the option whose values a person accepts. */
function acceptOption(): Option {
  return new Option(
    '--accept <date:metric=value>',
    'accept a value that a rule withholds, or a revision that it keeps back, if the source still gives it; without =value, whatever it gives; repeatable, needs --chain and --reason',
  ).argParser(addAccepted);
}

/** Returns what the options of a command line accept, for its chain. @throws GeneratorError 'usage' */
function acceptancesOf({
  accept,
  reason,
  chain,
}: {
  readonly accept?: readonly NamedValue[];
  readonly reason?: string;
  readonly chain?: readonly Chain[];
}): Map<Chain, Acceptances> | undefined {
  if (accept === undefined) {
    if (reason === undefined) return undefined;
    throw new GeneratorError('usage', '--reason needs --accept <date:metric=value>.');
  }
  const [only, ...others] = chain ?? [];
  if (only === undefined || others.length > 0 || reason === undefined) {
    throw new GeneratorError('usage', '--accept needs one --chain, and --reason "<public reason>".');
  }
  const accepts: Acceptances['accepts'] = (date, metric, value) =>
    accept.some(
      (each) =>
        each.date === date &&
        each.metric === metric &&
        (each.value === undefined || value === undefined || each.value === value),
    );
  return new Map([[only, { accepts, reason }]]);
}

/** Returns a value as `--accept` names it. */
export function formatNamed({ date, metric, value }: NamedValue): string {
  return `${date}:${metric}${value === undefined ? '' : `=${value}`}`;
}

/** Returns a suggestion for the name of a metric, not for the whole `date:metric=value`. */
function suggestMetric(name: string): string {
  return suggestSimilar(name, Object.keys(METRICS))
    .replace(/[()\n]/g, ' ')
    .trimEnd();
}

function addAccepted(text: string, before: readonly NamedValue[] | undefined): readonly NamedValue[] {
  const [, date = '', name = '', given] = /^([^:=]*):([^:=]*)(?:=([^=]+))?$/.exec(text) ?? [];
  const metric = Object.keys(METRICS).find((each) => each === name) as MetricName | undefined; // keys of METRICS
  const read = metric === undefined || given === undefined ? {} : toMetricValue(metric, given);
  if (parseDate(date) === undefined || metric === undefined || 'expected' in read)
    throw new InvalidArgumentError(
      `Write a date, a metric and its value, as the report does: 2026-08-19:tx_count=1250000.${suggestMetric(name)}`,
    );
  return [...(before ?? []), { date, metric, ...read }];
}
