import { bytesWords, count, countWords } from '../../schemas/words.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Paint } from '../../infra/process/paint.js';
import { formatTable } from '../../infra/process/format-table.js';
import { GeneratorError } from '../core/generator-error.js';
import { labelGapWords } from '../core/release/label-gap.js';
import { writeOwnFile } from '../run/run-report.js';
import {
  type CollectedChain,
  type CollectionStatus,
  inspectCollection,
} from '../upkeep/collection-status.js';
import { findLagging, inspectStore, type StoreStatus } from '../upkeep/inspect-store.js';
import { formatStatusMetrics } from '../upkeep/status-metrics.js';
import { REASON_PLACEHOLDER, formatAcceptCommand, formatCommand } from './common/next-command.js';
import {
  addGeneratorCommand,
  chainsOption,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  storeOption,
} from './common/options.js';
import type { AwaitedDate, Chain, Drift } from '../../schemas/types.generated.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import { formatNamed } from './collection/collect.js';

type StatusOptions = CommonOptions & {
  readonly store: string;
  readonly collected?: string;
  readonly metrics?: string;
  readonly maxLagDays?: number;
  readonly chain?: readonly Chain[];
  readonly ignore?: readonly Chain[];
};

/** Adds `status`, which shows the release of a store, how late its chains are, and what to do next. */
export function addStatus(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'status',
    description: 'Show the release of a store, how late its chains are, and what to do next.',
    options: [
      storeOption(),
      new Option(
        '--collected <address>',
        'also show what the collection at this address awaits, and what waits for a person; use the address of collect --into',
      ),
      new Option(
        '--metrics <file>',
        'write the status as Prometheus metrics to this file, for the textfile collector of node_exporter',
      ),
      new Option(
        '--max-lag-days <days>',
        'exit 8 if a chain is later than this, public copies are outdated, or signatures are refused; objects are not counted',
      ).argParser(parseDays),
      chainsOption('--chain', 'report only this chain; repeatable (default: all chains)'),
      chainsOption('--ignore', 'do not report this chain; repeatable'),
    ],
    example: 'generator status --store file:./data/store',
  }).action((options: StatusOptions) =>
    host.run('status', options, async (context) => {
      const { maxLagDays, chain = CHAIN_IDS, ignore = [] } = options;
      const chains = chain.filter((each) => !ignore.includes(each));
      const store = await context.openStore(options.store);
      const status = await inspectStore(store, {
        nowMs: context.now(),
        countsObjects: maxLagDays === undefined,
        chains,
        formatAccept: ({ plan_digest, args }) =>
          formatAcceptCommand({ ...context.commandLine, args }, plan_digest),
        formatCommand: (words) => formatCommand(context.commandLine, words),
      });
      const collection = await readCollected(options, chains, context);
      const lagging = maxLagDays === undefined ? null : findLagging(status, maxLagDays);
      const isLagging = lagging !== null && lagging.length > 0;
      findWarnings(status, lagging ?? []).forEach((each) => context.warn(`${status.address}: ${each}`));
      if (options.metrics !== undefined)
        await writeMetrics(options.metrics, formatStatusMetrics(status, collection, context.now()), context);
      context.show(
        { ...status, lagging, ...(collection && { collection }) },
        [
          formatStatus(status, context.paint),
          ...(collection ? ['', formatCollection(collection, context.paint)] : []),
        ].join('\n'),
      );
      const isSound = status.damage === null && status.from_future === null;
      if (!isSound || isLagging) return 'damaged'; // exit 8: damaged, stale or from the future
      return status.refusals.length === 0 ? 'done' : 'refused';
    }),
  );
}

/** Returns what a person should read: lag, refusals, damage and a wrong clock. */
function findWarnings(
  { refusals, damage, from_future: fromFuture }: StoreStatus,
  lagging: readonly string[],
): string[] {
  const refused = refusals.map(
    ({ chain, since }) => `${chain ?? 'methodology'} has been refused since ${since}`,
  );
  const lines = [lagging.join('; '), refused.join('; '), damage, fromFuture];
  return lines.flatMap((line) => (line === null || line === '' ? [] : [line]));
}

async function readCollected(
  options: StatusOptions,
  chains: readonly Chain[],
  { openStore, now, commandLine: { program } }: CommandContext,
): Promise<CollectionStatus | undefined> {
  if (options.collected === undefined) return undefined;
  return inspectCollection(await openStore(options.collected), {
    nowMs: now(),
    chains,
    formatAccept: (...drift) => formatAcceptDrift(program, options, ...drift),
  });
}

/** Writes metrics to a file. If it cannot be written, warns and leaves the exit code unchanged. */
async function writeMetrics(file: string, text: string, { warn }: CommandContext): Promise<void> {
  const own = { option: '--metrics', what: 'file of metrics of the generator', beginning: METRICS_BEGINNING };
  await writeOwnFile(file, { ...own, text, line: text }).catch((error: unknown) => {
    if (!(error instanceof GeneratorError)) throw error;
    warn(error.message);
  });
}

const METRICS_BEGINNING = /^\s*$|^# HELP generator_/;

function parseDays(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number of days, 0 or more.');
  return Number(text);
}

function formatStatus(status: StoreStatus, paint: Paint): string {
  const { address, revision, sequence, published_at, age_days, from_future, sha256, next } = status;
  if (revision === null) return `store      ${address}\nnext       ${next}`;
  const age = from_future === null ? `${count(age_days ?? 0, 'day')} ago` : 'in the future';
  return [
    `store      ${address}`,
    `release    ${revision} (sequence ${sequence ?? 0}), published ${published_at ?? ''}, ${age}`,
    `pointer    ${sha256 ?? ''}`,
    `hold       ${describeHolds(status)}`,
    `${status.refusals.length > 0 ? paint('refused') : 'refused'}    ${describeRefusals(status)}`,
    `copies     ${paint(describeAliases(status))}`,
    `signing    ${describeSigning(status, paint)}`,
    ...describePromise(status, paint),
    `objects    ${describeObjects(status)}`,
    '',
    formatChains(status, paint),
    '',
    `next       ${next}`,
  ].join('\n');
}

function describeRefusals({ refusals }: StoreStatus): string {
  const lines = refusals.map(
    ({ chain, since, summary }) => `${chain ?? 'methodology'} since ${since}: ${summary}`,
  );
  return lines.length === 0 ? 'no' : lines.join('\n           ');
}

function formatChains({ chains }: StoreStatus, paint: Paint): string {
  const head = [
    'chain',
    'through',
    'last available',
    'lag',
    'freshness',
    'overdue',
    'available',
    'degraded',
    'missing',
  ];
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = chains[chain];
    if (each === undefined) return [];
    const { updated_through, last_available, lag_days, overdue, unfinished, days, warming_up } = each;
    const settled = warming_up === null ? each.freshness : `warming up until ${warming_up.until}`;
    const freshness = unfinished ? 'day not over' : settled;
    const lag = lag_days === null ? '-' : `${lag_days} d`;
    return [
      [
        chain,
        updated_through,
        last_available ?? 'never',
        lag,
        paint(freshness),
        overdue ? paint('OVERDUE') : 'no',
        days.available,
        days.degraded,
        days.missing,
      ],
    ];
  });
  const gaps = CHAIN_IDS.flatMap((chain) => {
    const gap = chains[chain]?.label_gap ?? null;
    return gap === null ? [] : [labelGapWords(chain, gap)];
  });
  return [formatTable(head, rows), ...gaps].join('\n');
}

function describeHolds({ hold, holds }: StoreStatus): string {
  const chains = CHAIN_IDS.flatMap((chain) =>
    holds[chain] === undefined ? [] : [`${chain}: ${holds[chain]}`],
  );
  return [...(hold === null ? [] : [hold]), ...chains].join('; ') || 'no';
}

function describeAliases({ aliases: { behind, sequence } }: StoreStatus): string {
  const state =
    behind === 0
      ? 'fresh'
      : behind > 0
        ? `${count(behind, 'release')} behind`
        : 'aliases.json is ahead of the release';
  return `${state} (sequence ${sequence})`;
}

function describeSigning({ signing }: StoreStatus, paint: Paint): string {
  if (signing === null) return 'no';
  const { key_set_version: version, keys_expire: keysExpire, timestamp_expires: expires, fault } = signing;
  if (fault !== null) return paint(`refused by readers: ${fault}`);
  return `timestamp expires ${expires ?? ''}, unless a run renews it; keys (version ${version ?? 0}) expire ${keysExpire ?? ''}`;
}

/** Returns the line about a server that is safe with one writer only. */
function describePromise({ single_writer: verdict }: StoreStatus, paint: Paint): string[] {
  if (verdict === null) return [];
  const { checked_at: at, server } = verdict;
  const name = server === null ? 'this server' : `this server of ${server}`;
  return [
    `writers    ${paint('one only')}: ${name} loses writes of two processes at once (checked ${at}); never run two commands at once`,
  ];
}

function describeObjects({ objects, orphans, damage }: StoreStatus): string {
  if (objects === null || orphans === null) return damage === null ? 'not counted' : `not counted: ${damage}`;
  const size = bytesWords(orphans.bytes);
  return `${countWords(objects)} (files with the same bytes share one), including ${count(orphans.objects, 'orphan')} (${size}); ${count(orphans.releases, 'orphan release')}`;
}

/** Number of dates, and of differences, that are named one by one. */
const NAMED = 5;

/** Returns the command line that accepts the value that a source has now, with the usual name of the policy. */
function formatAcceptDrift(
  program: readonly string[],
  { endpoint, pathStyle }: Pick<CommonOptions, 'endpoint' | 'pathStyle'>,
  address: string,
  chain: Chain,
  { date, metric, to }: Pick<Drift, 'date' | 'metric' | 'to'>,
): string {
  return formatShellCommand([
    ...program,
    'collect',
    '--policy',
    'sources.policy.json',
    '--into',
    address,
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
    ...(pathStyle === undefined ? [] : ['--path-style']),
    '--chain',
    chain,
    '--accept',
    formatNamed({ date, metric, value: to }),
    '--reason',
    REASON_PLACEHOLDER,
  ]);
}

/** Returns what a collection has and awaits as text, a line for each fact. */
function formatCollection(
  { address, sequence, as_of: asOf, chains }: CollectionStatus,
  paint: Paint,
): string {
  const lines = CHAIN_IDS.flatMap((chain) => {
    const collected = chains[chain];
    return collected === undefined ? [] : describeChain(chain, collected, paint);
  });
  return [`collected  ${address} (collection ${sequence}), last change ${asOf}`, ...lines].join('\n');
}

function describeChain(
  chain: Chain,
  { through, late_seconds: late, awaited, drifts }: CollectedChain,
  paint: Paint,
): string[] {
  const hours = Math.floor((late ?? 0) / 3600);
  const isLate = (late ?? 0) > 0;
  const [first] = drifts;
  return [
    `  ${chain}: through ${through ?? 'nothing yet'}${isLate ? `, ${paint('LATE')} by ${hours} h` : ''}`,
    ...nameSome(awaited, (each) => describeAwaited(each, paint)),
    ...nameSome(drifts, describeDrift),
    ...(first === undefined ? [] : [`    to accept the first, with your policy: ${first.accept}`]),
  ];
}

function nameSome<T>(all: readonly T[], describe: (each: T) => string): string[] {
  const rest = all.length - NAMED;
  return [
    ...all.slice(0, NAMED).map((each) => `    ${describe(each)}`),
    ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : []),
  ];
}

function describeAwaited(
  { date, missing, sources, since, until, overdue, reasons }: AwaitedDate,
  paint: Paint,
): string {
  const what = missing.length === 0 ? 'everything' : missing.join(', ');
  const when = overdue ? `${paint('OVERDUE')} since ${until}` : `until ${until}`;
  return [`${date} awaits ${what} from ${sources.join(', ')} since ${since}, ${when}.`, ...reasons].join(' ');
}

function describeDrift({ date, metric, from, to, source, since }: Drift): string {
  return `${date} ${metric}: accepted ${from ?? 'nothing'}, ${source} has ${to} since ${since}; needs a decision.`;
}
