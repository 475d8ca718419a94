import { count, plural } from '../../schemas/words.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { toDayNumber, toInstant } from '../../schemas/dates.js';
import type { AwaitedDate, Chain, Drift, MetricName } from '../../schemas/types.generated.js';
import { formatTable } from '../../infra/process/format-table.js';
import { datesOf } from '../core/collection/ledger.js';
import type { Finding } from '../core/collection/collection-rules.js';
import type { ExitName } from '../core/generator-error.js';
import type { ChainResult, CollectionResult } from './collect-chains.js';
import { findNewDrifts } from './collection-store.js';
import type { WithheldValue } from './day-judge.js';

/** The report of a collection, as `--json` prints it. */
export type CollectReport = {
  readonly schema: 'collect-report/1';
  readonly address: string;
  readonly as_of: string;
  readonly dry_run: boolean;
  /** Number of the collection that is in force. */
  readonly sequence: number;
  readonly chains: { readonly [chain in Chain]?: ChainReport };
};

type DatedFinding = Finding & { readonly date: string };

/** The part of the report about a chain. */
type ChainReport = {
  /** Newest date with accepted values. */
  readonly through: string | null;
  /** Number of new dates, and of earlier ones that changed. */
  readonly accepted: number;
  readonly revised: number;
  readonly awaited: readonly AwaitedDate[];
  /** The differences that a person must judge; `new_drifts` were not known before. */
  readonly drifts: readonly Drift[];
  readonly new_drifts: number;
  /** The dates whose deadline this collection found passed. */
  readonly newly_overdue: readonly string[];
  readonly findings: readonly DatedFinding[];
  /** The values that rules withhold although their dates do not wait for them. */
  readonly withheld: readonly WithheldValue[];
  /** Failures of sources that the chain can do without. */
  readonly failures: readonly string[];
  /** What is odd about accepted values and those of other sources. */
  readonly notes: readonly string[];
  readonly error: ChainResult['error'];
};

/** Returns the report of a collection. */
export function toCollectReport(
  { collection, chains }: CollectionResult,
  run: { readonly address: string; readonly asOfMs: number; readonly isDryRun: boolean },
): CollectReport {
  return {
    schema: 'collect-report/1',
    address: run.address,
    as_of: toInstant(run.asOfMs),
    dry_run: run.isDryRun,
    sequence: collection.sequence,
    chains: Object.fromEntries(
      [...chains].map(([chain, result]) => [
        chain,
        toChainReport(result, [
          ...(collection.ledgers.get(chain) ?? []),
          ...(run.isDryRun ? result.lines : []),
        ]),
      ]),
    ),
  };
}

function toChainReport(result: ChainResult, lines: Parameters<typeof datesOf>[0]): ChainReport {
  const { days, before, state, failures, notes, error } = result;
  return {
    through: datesOf(lines).at(-1)?.date ?? null,
    accepted: days.filter(({ outcome }) => outcome === 'accepted' || outcome === 'incomplete').length,
    revised: days.filter(({ outcome }) => outcome === 'revised').length,
    awaited: state.awaited,
    drifts: state.drifts,
    new_drifts: findNewDrifts(before, state).length,
    newly_overdue: days.filter(({ isNewlyOverdue }) => isNewlyOverdue).map(({ date }) => date),
    findings: days.flatMap(({ date, findings }) => findings.map((each) => ({ date, ...each }))),
    withheld: days.flatMap(({ withheld = [] }) => withheld),
    failures,
    notes,
    error,
  };
}

/** Returns the exit of a collection: what needs a person soonest. */
export function collectExitOf({ chains }: CollectReport): ExitName {
  const reports = Object.values(chains);
  const has = (test: (report: ChainReport) => boolean): boolean => reports.some(test);
  if (has(({ error }) => error?.code === 'shape')) return 'input-invalid';
  if (has(({ newly_overdue: overdue }) => overdue.length > 0)) return 'damaged'; // its exit code also means stale
  if (has(({ new_drifts: drifts }) => drifts > 0)) return 'refused';
  if (has(({ error }) => error?.code === 'conflict')) return 'conflict';
  if (has(({ error }) => error !== null)) return 'store-unavailable';
  return 'done';
}

/** A value of a source that a person may accept. */
export type AcceptableValue = { readonly date: string; readonly metric: MetricName; readonly value: string };

/** Commands for the operator to paste. */
type Remedies = {
  /** Accepts values that a rule withholds, or revisions that it keeps back. */
  readonly accept: (chain: Chain, values: readonly AcceptableValue[]) => string;
  /** Compares the form of the sources of a chain with what their adapters expect. */
  readonly check: (chain: Chain) => string;
};

/** Returns sentences about what went wrong or waits, with what to do. */
export function describeProblems({ chains }: Pick<CollectReport, 'chains'>, remedies: Remedies): string[] {
  return CHAIN_IDS.flatMap((chain) => {
    const report = chains[chain];
    if (report === undefined) return [];
    const { error, failures, notes, awaited, drifts, findings, withheld, newly_overdue: overdue } = report;
    return [
      ...(error === null ? [] : describeError(chain, error, remedies)),
      ...failures.map((failure) => `${chain}: collected without one of its sources. ${failure}`),
      ...notes.map((note) => `${chain}: ${note}`),
      ...groupAwaited(awaited).flatMap((dates) => [
        `${chain}: ${describeAwaited(dates, overdue)}`,
        ...dates.flatMap((each) => describeAcceptable(chain, each, remedies)),
      ]),
      ...describeWithheld(chain, withheld, remedies),
      ...describeDrifts(chain, drifts, remedies),
      ...describeContradictions(chain, findings),
    ];
  });
}

/** Number of differences, withheld values and drifts of a chain that are named one by one. */
const NAMED = 5;

/** Names values with which another source does not agree, but which are accepted anyway. */
function describeContradictions(chain: Chain, findings: readonly DatedFinding[]): string[] {
  const found = findings.filter(({ rule, effect }) => rule === 'cross' && effect === 'noted');
  const rest = found.length - NAMED;
  return [
    ...found.slice(0, NAMED).map(({ date, message }) => `${chain}: ${date} cross: ${message}`),
    ...(rest > 0 ? [`${chain}: and ${count(rest, 'more difference')} from other sources`] : []),
  ];
}

function describeError(
  chain: Chain,
  { code, message }: ChainReport['error'] & object,
  { check }: Remedies,
): string[] {
  const kept = `${chain}: ${message} What was accepted before stays.`;
  return code === 'shape'
    ? [kept, `  To compare the source with what its adapter expects: ${check(chain)}`]
    : [kept, '  The next run tries again.'];
}

/** Dates that wait for the same, without a gap, ascending: one at least. */
type AwaitedDates = readonly [AwaitedDate, ...AwaitedDate[]];

/** Groups dates that one sentence describes: those of a source that has ended, or that has been late for weeks. */
function groupAwaited(awaited: readonly AwaitedDate[]): AwaitedDates[] {
  const groups: [AwaitedDate, ...AwaitedDate[]][] = [];
  for (const each of awaited) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && isContinued(last, each)) groups.at(-1)?.push(each);
    else groups.push([each]);
  }
  return groups;
}

function isContinued(one: AwaitedDate, next: AwaitedDate): boolean {
  const wordsOf = ({ missing, overdue, reasons }: AwaitedDate): string =>
    JSON.stringify([missing, overdue, reasons]);
  return toDayNumber(next.date) === toDayNumber(one.date) + 1 && wordsOf(next) === wordsOf(one);
}

function describeAwaited(dates: AwaitedDates, newlyOverdue: readonly string[]): string {
  const [first] = dates;
  const last = dates.at(-1) ?? first;
  const { missing, since, until, overdue, reasons } = first;
  const isOne = dates.length === 1;
  const what = isOne ? `${first.date} lacks` : `${first.date} to ${last.date} (${dates.length} dates) lack`;
  const through = isOne ? until : `${until} to ${last.until}`;
  const isNew = dates.some(({ date }) => newlyOverdue.includes(date));
  const passed = isOne ? `its deadline ${until} has passed` : `their deadlines, ${through}, have passed`;
  const when = overdue
    ? `${passed}${isNew ? ' just now' : ''}; what comes later is filled in`
    : `awaited since ${since}, until ${through}`;
  return [`${what} ${missing.join(', ')}: ${when}.`, ...reasons].join(' ');
}

/** Says how to accept the values that a person may accept. */
function describeAcceptable(
  chain: Chain,
  { date, missing, acceptable = {} }: AwaitedDate,
  { accept }: Remedies,
): string[] {
  const values = missing.flatMap((metric) => {
    const value = acceptable[metric];
    return value === undefined ? [] : [{ date, metric, value }];
  });
  return describeAccept(chain, values, accept);
}

/** Names withheld values for which no date waits. */
function describeWithheld(chain: Chain, withheld: readonly WithheldValue[], { accept }: Remedies): string[] {
  const named = withheld.slice(0, NAMED);
  const rest = withheld.length - named.length;
  const values = named.flatMap(({ date, metric, value }) =>
    value === undefined ? [] : [{ date, metric, value }],
  );
  return [
    ...named.map(
      ({ date, metric, reason }) => `${chain}: ${date} does without ${metric}, which is withheld. ${reason}`,
    ),
    ...(rest > 0 ? [`${chain}: and ${count(rest, 'more withheld value')} (--json lists all)`] : []),
    ...describeAccept(chain, values, accept),
  ];
}

function describeAccept(
  chain: Chain,
  values: readonly AcceptableValue[],
  accept: Remedies['accept'],
): string[] {
  if (values.length === 0) return [];
  return [`  If ${plural(values.length, 'the value is', 'the values are')} true: ${accept(chain, values)}`];
}

function describeDrifts(chain: Chain, drifts: readonly Drift[], { accept }: Remedies): string[] {
  if (drifts.length === 0) return [];
  const named = drifts.slice(0, NAMED);
  const rest = drifts.length - named.length;
  const them = plural(named.length, 'it', 'them; leave out what you do not want');
  return [
    `${chain}: a source now differs from ${count(drifts.length, 'accepted value')}. What was accepted stays, and new dates are not held up:`,
    ...named.map(({ date, metric, from, to, source }) => {
      return `  ${date} ${metric}: accepted ${from ?? 'nothing'}, ${source} now has ${to}`;
    }),
    ...(rest > 0 ? [`  and ${rest} more (--json lists all)`] : []),
    `  To accept ${them}: ${accept(
      chain,
      named.map(({ date, metric, to }) => ({ date, metric, value: to })),
    )}`,
  ];
}

/** Returns the report as text. */
export function formatCollectReport({ chains, address, sequence, dry_run: isDryRun }: CollectReport): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const report = chains[chain];
    if (report === undefined) return [];
    const { through, accepted, revised, awaited, drifts, findings } = report;
    const withheld = findings.filter(({ effect }) => effect === 'withheld').length;
    return [[chain, through ?? '-', accepted, revised, awaited.length, withheld, drifts.length]];
  });
  const head = ['chain', 'through', 'new', 'revised', 'awaited', 'withheld', 'drifts'];
  const end = isDryRun ? 'nothing was written' : `collection ${sequence} at ${address}`;
  return [formatTable(head, rows), end].join('\n');
}
