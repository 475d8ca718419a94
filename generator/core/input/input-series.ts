import { metricsOf } from '../../../schemas/catalog.js';
import { toDate } from '../../../schemas/dates.js';
import type { Chain, MetricName, SourceSegment } from '../../../schemas/types.generated.js';

/** The values of a metric, one per date of a series; null where a value is missing. */
export type Column = readonly (number | null)[];

/**
 * The metrics of a chain on every date from the first to the last input date, without gaps.
 * Shape: `dates`, `present` and each column have one element per date, ascending. A metric that the input has no
 * column for is absent. `present` is false on a date without a row.
 */
export type InputSeries = {
  readonly chain: Chain;
  readonly dates: readonly string[];
  readonly present: readonly boolean[];
  readonly metrics: { readonly [metric in MetricName]?: Column };
  readonly sources: readonly SourceSegment[];
};

/** An input row: its day number, and one value per metric in the order of the header. */
export type InputRow = { readonly day: number; readonly values: readonly (number | null)[] };

/**
 * Returns the series of the given rows.
 * Precondition: at least one row; rows ascend by day; each row has one value per column.
 */
export function toInputSeries(
  chain: Chain,
  columns: readonly MetricName[],
  rows: readonly InputRow[],
  sources: readonly SourceSegment[],
): InputSeries {
  const first = rows[0]?.day ?? 0;
  const length = (rows.at(-1)?.day ?? 0) - first + 1;
  const present = new Array<boolean>(length).fill(false);
  const values = columns.map(() => new Array<number | null>(length).fill(null));
  for (const row of rows) {
    present[row.day - first] = true;
    values.forEach((column, c) => {
      column[row.day - first] = row.values[c] ?? null;
    });
  }
  const dates = Array.from({ length }, (_, i) => toDate(first + i));
  const metrics = Object.fromEntries(columns.map((metric, c) => [metric, values[c] ?? []]));
  return { chain, dates, present, metrics, sources };
}

/** Returns the column of `metric`, or a column of nulls if the input lacks the metric. */
export function columnOf(series: InputSeries, metric: MetricName): Column {
  return series.metrics[metric] ?? new Array<null>(series.dates.length).fill(null);
}

/** Returns the metrics with at least one value, in the catalog's order. */
export function metricsWithValues(series: InputSeries): MetricName[] {
  return metricsOf(series.chain).filter((metric) => series.metrics[metric]?.some((value) => value !== null));
}

/** Returns the source segment that covers `date`. */
export function sourceOn(series: InputSeries, date: string): SourceSegment | undefined {
  return series.sources.findLast((segment) => segment.from === undefined || segment.from <= date);
}

/** Returns the series up to and including `date`, which may be outside the series. */
export function cutSeries(series: InputSeries, date: string): InputSeries {
  const length = series.dates.filter((each) => each <= date).length;
  const metrics = Object.fromEntries(
    Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(0, length)]),
  );
  return {
    ...series,
    dates: series.dates.slice(0, length),
    present: series.present.slice(0, length),
    metrics,
  };
}
