import { metricsOf } from '../../schemas/catalog.js';
import { toDate } from '../../schemas/dates.js';
import type { Chain, MetricName, SourceSegment } from '../../schemas/types.generated.js';

/** A metric per date of a series; null where it is missing. */
export type Column = readonly (number | null)[];

/**
 * The working series of a chain: every date from the first to the last input date, without holes.
 * Shape: `dates`, `present` and each column have one element per date, ascending. A metric without a column in the
 * input has none here. `present` is false on a date without a row.
 */
export type InputSeries = {
  readonly chain: Chain;
  readonly dates: readonly string[];
  readonly present: readonly boolean[];
  readonly metrics: { readonly [metric in MetricName]?: Column };
  readonly sources: readonly SourceSegment[];
};

/** One input row: its day number, and a value per metric of the file in the order of its header. */
export type InputRow = { readonly day: number; readonly values: readonly (number | null)[] };

/**
 * The working series of rows that ascend by day.
 * Precondition: at least one row; each row has as many values as there are `columns`.
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
  const cells = columns.map(() => new Array<number | null>(length).fill(null));
  for (const row of rows) {
    present[row.day - first] = true;
    cells.forEach((cell, c) => {
      cell[row.day - first] = row.values[c] ?? null;
    });
  }
  const dates = Array.from({ length }, (_, i) => toDate(first + i));
  const metrics = Object.fromEntries(columns.map((metric, c) => [metric, cells[c] ?? []]));
  return { chain, dates, present, metrics, sources };
}

/** The column of `metric`; all null when the input has none. */
export function columnOf(series: InputSeries, metric: MetricName): Column {
  return series.metrics[metric] ?? new Array<null>(series.dates.length).fill(null);
}

/** The metrics that have at least one value, in the catalog's order. */
export function metricsWithValues(series: InputSeries): MetricName[] {
  return metricsOf(series.chain).filter((metric) => series.metrics[metric]?.some((value) => value !== null));
}

/** The source segment in force on `date`. */
export function sourceOn(series: InputSeries, date: string): SourceSegment | undefined {
  return series.sources.findLast((segment) => segment.from === undefined || segment.from <= date);
}

/** The series up to and including `date`, which may lie outside of it. */
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
