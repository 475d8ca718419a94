import { metricsWithValues, type InputSeries } from '../../generator/core/input/input-series.js';
import type { Chain, MetricName } from '../../schemas/types.generated.js';
import { editSeries } from '../support/release/random-series.js';
import { seriesOf } from './history-data.js';

/** A late edit of one published value. */
export type Edit = {
  readonly chain: Chain;
  readonly date: string;
  readonly metric: MetricName;
  readonly value: number | null;
};

/** Factors of an edit; null makes the value missing. */
const FACTORS: readonly (number | null)[] = [null, 0.1, 0.5, 0.9, 1.1, 2, 10];

/**
 * Values of ethereum that change a label a year later when they are divided by ten. They affect it only through the
 * baseline. Found by trials with the days closest to a boundary.
 */
const FAR_REACHING = [
  ['2022-10-13', 'active_addresses'],
  ['2022-10-20', 'tx_count'],
  ['2022-10-26', 'active_addresses'],
  ['2022-11-08', 'gas_price_mean'],
  ['2022-11-11', 'gas_price_mean'],
] as const satisfies readonly (readonly [string, MetricName])[];

/** Draws edits of values other than 0, evenly over chains, then metrics, then dates. `random` returns [0, 1). */
export function drawEdits(inputs: readonly InputSeries[], count: number, random: () => number): Edit[] {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('cannot draw from an empty list');
    return item;
  };
  return Array.from({ length: count }, () => {
    const series = pick(inputs);
    const metric = pick(metricsWithValues(series));
    const dates = series.dates.filter((date) => (valueOf(series, metric, date) ?? 0) !== 0);
    return toEdit(series, pick(dates), metric, pick(FACTORS));
  });
}

/** Returns the edits with the most distant effects. Precondition: the series begin before them. */
export function farReachingEdits(inputs: readonly InputSeries[]): Edit[] {
  return FAR_REACHING.map(([date, metric]) => toEdit(seriesOf(inputs, 'ethereum'), date, metric, 0.1));
}

/** Returns the value of a metric on a date, or null if it is missing. */
export function valueOf(series: InputSeries, metric: MetricName, date: string): number | null {
  return series.metrics[metric]?.[series.dates.indexOf(date)] ?? null;
}

/** Returns the series with the edit. */
export function applyEdit(series: InputSeries, { metric, date, value }: Edit): InputSeries {
  return editSeries(series, metric, date, value);
}

function toEdit(series: InputSeries, date: string, metric: MetricName, factor: number | null): Edit {
  const value = valueOf(series, metric, date) ?? 0;
  return { chain: series.chain, date, metric, value: factor === null ? null : value * factor };
}
