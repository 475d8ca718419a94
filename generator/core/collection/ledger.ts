import { canonicalJson } from '../../../schemas/canonical-json.js';
import type {
  Chain,
  GoldDay,
  LedgerLine,
  MetricName,
  SourceSchedule,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import { assertValid } from '../../../schemas/validate.js';
import type { CollectedDay, DatedValues } from './day-values.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Finding } from './collection-rules.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { columnOf, type InputSeries, sourceOn } from '../input/input-series.js';

/** A date of a ledger: its values in force, and the source of each. */
export type LedgerDate = DatedValues & { readonly sources: { readonly [metric in MetricName]?: string } };

/** An accepted value that a later line changed. The file `changes` of a collection lists them. */
type RecordedChange = {
  readonly chain: Chain;
  readonly date: string;
  readonly metric: MetricName;
  /** The value before; null if it was missing. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
};

/** Writes lines as the text of a ledger: one canonical JSON document per line. */
export function formatLedger(lines: readonly LedgerLine[]): string {
  return lines.map((line) => `${canonicalJson(assertValid('ledger-line', line))}\n`).join('');
}

/**
 * Parses the text of a ledger.
 * @throws SchemaError for a line that is not a document of a ledger; SyntaxError for a line that is not JSON.
 */
export function parseLedger(text: string): LedgerLine[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new SyntaxError('the last line has no line end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => assertValid('ledger-line', JSON.parse(line)));
}

/** Returns the dates of a ledger, ascending, with the values that its lines leave in force. */
export function datesOf(lines: readonly LedgerLine[]): LedgerDate[] {
  const dates = new Map<string, { values: Record<string, string>; sources: Record<string, string> }>();
  for (const { date, values, source } of lines) {
    const known = dates.get(date) ?? { values: {}, sources: {} };
    Object.assign(known.values, values);
    for (const metric of Object.keys(values)) known.sources[metric] = source;
    dates.set(date, known);
  }
  return [...dates]
    .map(([date, { values, sources }]) => ({ date, values, sources }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** Returns the changes of accepted values, in the order in which they were recorded. */
export function changesOf(lines: readonly LedgerLine[]): RecordedChange[] {
  const known = new Map<string, Record<string, string>>();
  return lines.flatMap(({ chain, date, values, reason }) => {
    const before = known.get(date);
    known.set(date, { ...before, ...values });
    if (before === undefined) return [];
    return Object.entries(values)
      .filter(([metric, to]) => before[metric] !== to)
      .map(([metric, to]): RecordedChange => ({
        chain,
        date,
        to,
        metric: metric as MetricName, // the schema allows only metrics
        from: before[metric] ?? null,
        reason: reason ?? 'source completed the date',
      }));
  });
}

/** The origin of the values of a day and the findings in them, as text that its digest names. */
export type Lineage = { readonly source: string; readonly text: string; readonly sha256: string };

/** Writes the lineage of a day: the source and its evidence, its values and raw counts, and the findings of the rules. */
export function toLineage(
  source: string,
  { chain, date, values, counts, evidence }: CollectedDay,
  findings: readonly Finding[],
): Lineage {
  const document = {
    schema: 'lineage/1',
    chain,
    date,
    source,
    values,
    counts,
    evidence,
    findings,
  };
  const text = canonicalJson(assertValid('lineage', document));
  return { source, text, sha256: sha256Hex(text) };
}

/** Returns the CSV of a chain: a row per date of its ledger, a column per metric that has a value. */
export function formatMetricsCsv(chain: Chain, dates: readonly LedgerDate[]): string {
  const metrics = metricsOf(chain).filter((metric) =>
    dates.some(({ values }) => values[metric] !== undefined),
  );
  const rows = dates.map(({ date, values }) => [date, ...metrics.map((metric) => values[metric] ?? '')]);
  return [['date', ...metrics], ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

/** The entry of a source in `sources.json`, without its first date and its schedule. */
export type SourceDescription = Omit<SourceSegment, 'from' | 'schedule'>;

/** Descriptions of sources, by the name that the ledgers give them. */
export type Descriptions = { readonly [source: string]: SourceDescription };

/** Number of dates without a value after which the source of a metric is no longer named. */
const NAMED_DATES = 60;

/**
 * Returns the segments of a chain for `sources.json`: a new one begins where the sources of the values change. A metric that
 * is missing for some dates still names its source. A segment with several sources joins their descriptions. The newest
 * one has the schedule.
 */
export function toSegments(
  dates: readonly LedgerDate[],
  describe: (source: string) => SourceDescription,
  schedule: SourceSchedule | undefined,
): SourceSegment[] {
  const segments: { from: string; sources: string }[] = [];
  for (const { date, sources } of namesByDate(dates)) {
    if (segments.at(-1)?.sources !== sources) segments.push({ from: date, sources });
  }
  return segments.map(({ from, sources }, i) => ({
    ...(i === 0 ? {} : { from }),
    ...joinDescriptions(sources.split(' ').map(describe)),
    ...(schedule !== undefined && i === segments.length - 1 ? { schedule } : {}),
  }));
}

/** Returns the names of the sources of each date, sorted and joined by blanks. */
function namesByDate(dates: readonly LedgerDate[]): { date: string; sources: string }[] {
  const current = new Map<string, { source: string; seen: number }>();
  return dates.map(({ date, sources }, t) => {
    for (const [metric, source] of Object.entries(sources)) current.set(metric, { source, seen: t });
    for (const [metric, { seen }] of current) if (t - seen > NAMED_DATES) current.delete(metric);
    const names = [...current.values()].map(({ source }) => source);
    return { date, sources: [...new Set(names)].sort().join(' ') };
  });
}

function joinDescriptions(descriptions: readonly SourceDescription[]): SourceDescription {
  const join = (name: 'name' | 'licence' | 'attribution' | 'notes', separator: string): string =>
    [...new Set(descriptions.flatMap((each) => each[name] ?? []))].join(separator);
  const [attribution, notes] = [join('attribution', '; '), join('notes', ' ')];
  const url = descriptions.find((each) => each.url !== undefined)?.url;
  return {
    name: join('name', ' and '),
    licence: join('licence', '; '),
    ...(attribution === '' ? {} : { attribution }),
    ...(url === undefined ? {} : { url }),
    ...(notes === '' ? {} : { notes }),
  };
}

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
