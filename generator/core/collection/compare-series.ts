import { METRIC_NAMES } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { medianOf } from '../statistics/median.js';
import type { DayValues } from './day-values.js';

/** Values of a source by date. */
export type ValuesByDate = ReadonlyMap<string, DayValues>;

/** Dates without a gap between `first` and `last`. */
export type DateSpan = { readonly first: string; readonly last: string; readonly dates: number };

/** A value of A divided by the value of B on the same date. */
type DatedRatio = { readonly date: string; readonly ratio: number };

/** Differences of a metric between two sources, A and B. */
export type MetricComparison = {
  readonly metric: MetricName;
  /** Number of dates on which both have a value, and on which the values are equal, digit by digit. */
  readonly both: number;
  readonly equal: number;
  /** The dates that only one of them has. */
  readonly onlyA: readonly DateSpan[];
  readonly onlyB: readonly DateSpan[];
  /** Ratios in ascending order of dates. A date on which only B is 0 has none. */
  readonly ratios: readonly DatedRatio[];
  /** Of the ratios; absent if there are none. Of equal ratios, the first date is named. */
  readonly summary?: { readonly median: number; readonly least: DatedRatio; readonly most: DatedRatio };
  /** Present if the values of A are those that B has a day before or after. */
  readonly shift?: Shift;
};

/**
 * `days` is 1 if A has on a date what B has on the next one, -1 if it has what B has on the one before. `dates`: on how many
 * of the `compared` ones.
 */
export type Shift = { readonly days: 1 | -1; readonly dates: number; readonly compared: number };

/** Compares two sources metric by metric, in the order of the catalog. A metric that none of them has is left out. */
export function compareSeries(a: ValuesByDate, b: ValuesByDate): MetricComparison[] {
  const dates = [...new Set([...a.keys(), ...b.keys()])].sort();
  return METRIC_NAMES.flatMap((metric) => {
    const days = dates.map((date) => ({ date, a: a.get(date)?.[metric], b: b.get(date)?.[metric] }));
    return days.some((day) => (day.a ?? day.b) !== undefined) ? [compareMetric(metric, days)] : [];
  });
}

type PairedDay = { readonly date: string; readonly a: string | undefined; readonly b: string | undefined };

function compareMetric(metric: MetricName, days: readonly PairedDay[]): MetricComparison {
  const pairs = days.flatMap(({ date, a, b }) =>
    a === undefined || b === undefined ? [] : [{ date, a, b }],
  );
  const ratios = pairs.flatMap(({ date, a, b }) => {
    const ratio = a === b ? 1 : Number(a) / Number(b);
    return Number.isFinite(ratio) ? [{ date, ratio }] : [];
  });
  return {
    metric,
    both: pairs.length,
    equal: pairs.filter(({ a, b }) => a === b).length,
    onlyA: toSpans(days.filter(({ a, b }) => a !== undefined && b === undefined)),
    onlyB: toSpans(days.filter(({ a, b }) => a === undefined && b !== undefined)),
    ratios,
    ...summarize(ratios),
    ...shiftMember(days),
  };
}

/** Number of dates from which equal neighbours cannot be chance. */
const FEWEST_SHIFTED = 7;

/**
 * Returns by how many days the values of a metric of A are shifted against B: on every date but a few, its value is the one
 * that B has on the neighbouring date, and not the one of the same date. A value that repeats itself says nothing.
 */
function findShift(
  a: ReadonlyMap<string, string | undefined>,
  b: ReadonlyMap<string, string | undefined>,
): Shift | undefined {
  for (const days of [1, -1] as const) {
    const beside = [...a].flatMap(([date, value]) => {
      const [same, other] = [b.get(date), b.get(addDays(date, days))];
      return value === undefined || same === undefined || other === undefined || same === other
        ? []
        : [value === other && value !== same];
    });
    const dates = beside.filter((isBeside) => isBeside).length;
    if (dates >= FEWEST_SHIFTED && dates >= MOSTLY * beside.length)
      return { days, dates, compared: beside.length };
  }
  return undefined;
}

/** Share of the dates that must be equal to their neighbours: a source may have revised some. */
const MOSTLY = 0.9;

function shiftMember(days: readonly PairedDay[]): Pick<MetricComparison, 'shift'> {
  const of = (side: 'a' | 'b'): Map<string, string | undefined> =>
    new Map(days.map((day) => [day.date, day[side]]));
  const shift = findShift(of('a'), of('b'));
  return shift === undefined ? {} : { shift };
}

function summarize(ratios: readonly DatedRatio[]): Pick<MetricComparison, 'summary'> {
  const median = medianOf(ratios.map(({ ratio }) => ratio));
  const [first, ...others] = ratios;
  if (median === undefined || first === undefined) return {};
  const least = others.reduce((one, other) => (other.ratio < one.ratio ? other : one), first);
  const most = others.reduce((one, other) => (other.ratio > one.ratio ? other : one), first);
  return { summary: { median, least, most } };
}

/** Joins dates that follow each other. Precondition: they ascend. */
function toSpans(days: readonly { readonly date: string }[]): DateSpan[] {
  const spans: DateSpan[] = [];
  for (const { date } of days) {
    const last = spans.at(-1);
    if (last !== undefined && addDays(last.last, 1) === date) {
      spans[spans.length - 1] = { first: last.first, last: date, dates: last.dates + 1 };
    } else {
      spans.push({ first: date, last: date, dates: 1 });
    }
  }
  return spans;
}

/** Says that the values of a metric of one source are those of the neighbouring dates in another. */
export function shiftWords(
  metric: MetricName,
  { days, dates, compared }: Shift,
  { a, b }: { readonly a: string; readonly b: string },
): string {
  const on = dates === compared ? 'on every day' : `on ${dates} of ${compared} days`;
  const beside = days === 1 ? 'the day after' : 'the day before';
  return `${metric}: ${a} has ${on} what ${b} has on ${beside}, so that one of them names the days wrongly.`;
}
