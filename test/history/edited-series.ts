import type { InputSeries } from '../../generator/core/input/input-series.js';
import type { MetricName } from '../../schemas/types.generated.js';

/** Returns the part of a series from date `first` to date `last`, inclusive. */
export function cutBetween(series: InputSeries, first: string, last: string): InputSeries {
  const kept = <T>(values: readonly T[]): T[] =>
    values.filter((_, t) => (series.dates[t] ?? '') >= first && (series.dates[t] ?? '') <= last);
  return {
    ...series,
    dates: kept(series.dates),
    present: kept(series.present),
    metrics: mapColumns(series, kept),
  };
}

/** Returns the series without the row of `date`. */
export function withoutRow(series: InputSeries, date: string): InputSeries {
  const removed = series.dates.indexOf(date);
  return {
    ...series,
    present: series.present.map((value, t) => value && t !== removed),
    metrics: mapColumns(series, (column) => column.map((value, t) => (t === removed ? null : value))),
  };
}

/** Returns the series without a column. */
export function withoutColumn(series: InputSeries, metric: MetricName): InputSeries {
  const { [metric]: _removed, ...metrics } = series.metrics;
  return { ...series, metrics };
}

function mapColumns(
  { metrics }: InputSeries,
  map: (column: readonly (number | null)[]) => readonly (number | null)[],
): InputSeries['metrics'] {
  return Object.fromEntries(Object.entries(metrics).map(([metric, column]) => [metric, map(column)]));
}
