import type { GoldDay, LedgerLine, MetricName } from '../../../../schemas/types.generated.js';
import { columnOf, sourceOn, type InputSeries } from '../../input/input-series.js';

/** A published date as the input had it. */
export type PublishedInput = Pick<GoldDay, 'date' | 'metrics' | 'source'>;

/** The changes of published dates that a ledger records. */
type RecordedJudgement = {
  /** The reasons of the recorded changes, each once. */
  readonly reasons: readonly string[];
  /** The changes that the ledger did not record, in words. */
  readonly unrecorded: readonly string[];
};

/** Longest public reason of a release. */
const MAX_REASON = 200;

/**
 * Returns whether a ledger recorded every difference between published dates and the input: for each value that differs,
 * its lines must lead from the published value to the one of the input, in one step or several. The name of a source may
 * change only from the first recorded change on, where a new segment of `sources.json` begins, and only if the ledger has
 * several sources.
 * Precondition: `published` ascends by date.
 */
export function judgeRecorded(
  series: InputSeries,
  published: readonly PublishedInput[],
  lines: readonly LedgerLine[],
): RecordedJudgement {
  const dates = new Set(published.map(({ date }) => date));
  const linesOf = groupByDate(lines.filter(({ date }) => dates.has(date)));
  const hasSeveralSources = new Set(lines.map(({ source }) => source)).size > 1;
  const reasons = new Set<string>();
  const unrecorded: string[] = [];
  for (const day of published) {
    const t = series.dates.indexOf(day.date);
    const changes = findChanges(series, day, t);
    for (const change of changes) {
      const found = findReasons(linesOf.get(day.date) ?? [], change);
      if (found === undefined) unrecorded.push(describeChange(day.date, change));
      for (const reason of found ?? []) reasons.add(reason);
    }
    const mayChangeSource = hasSeveralSources && reasons.size > 0;
    unrecorded.push(
      ...findOtherChanges(series, day, { t, valuesDiffer: changes.length > 0, mayChangeSource }),
    );
  }
  return { reasons: [...reasons], unrecorded };
}

/** Returns, in words, the changes of a date other than those of its values. */
function findOtherChanges(
  series: InputSeries,
  { date, source: from }: PublishedInput,
  change: { readonly t: number; readonly valuesDiffer: boolean; readonly mayChangeSource: boolean },
): string[] {
  const { t, valuesDiffer, mayChangeSource } = change;
  const to = series.present[t] === true ? (sourceOn(series, date)?.name ?? null) : null;
  if (from === to)
    return valuesDiffer ? [] : [`${date}: the input is the same, but the published file would be another`];
  if (from === null && valuesDiffer) return []; // the row of a missing date has a source
  return mayChangeSource && to !== null ? [] : [`${date} source: ${from ?? 'missing'} -> ${to ?? 'missing'}`];
}

/** Joins reasons into the public reason of a release, which has at most 200 characters. */
export function joinReasons(reasons: readonly string[]): string {
  const characters = Array.from([...new Set(reasons)].join('; '));
  return characters.length <= MAX_REASON
    ? characters.join('')
    : `${characters.slice(0, MAX_REASON - 1).join('')}…`;
}

type ValueChange = { readonly metric: MetricName; readonly from: number | null; readonly to: number | null };

function findChanges(series: InputSeries, { metrics }: PublishedInput, t: number): ValueChange[] {
  const names = Object.keys(metrics) as MetricName[]; // closed by the gold schema
  return names.flatMap((metric) => {
    const from = metrics[metric] ?? null;
    const to = columnOf(series, metric)[t] ?? null;
    return from === to ? [] : [{ metric, from, to }];
  });
}

/**
 * Returns the reasons of the lines that lead from the published value of a metric to the new one; `undefined` if the lines
 * do not lead there. Every metric begins as missing.
 */
function findReasons(lines: readonly LedgerLine[], { metric, from, to }: ValueChange): string[] | undefined {
  const steps = lines.flatMap(({ values, reason }) => {
    const value = values[metric];
    return value === undefined ? [] : [{ value: Number(value), reason: reason ?? COMPLETED }];
  });
  const published = steps.findLastIndex(({ value }) => value === from);
  const isKnown = published >= 0 || from === null;
  return isKnown && steps.at(-1)?.value === to
    ? steps.slice(published + 1).map(({ reason }) => reason)
    : undefined;
}

/** The reason of a line that has the first values of a date, which was published without them. */
const COMPLETED = 'source completed the date';

function groupByDate(lines: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) groups.set(line.date, [...(groups.get(line.date) ?? []), line]);
  return groups;
}

function describeChange(date: string, { metric, from, to }: ValueChange): string {
  return `${date} ${metric}: ${from ?? 'missing'} -> ${to ?? 'missing'}`;
}
