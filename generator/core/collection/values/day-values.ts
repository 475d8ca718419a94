import type { MetricName } from '../../../../schemas/types.generated.js';
import { toMetricValue } from './metric-value.js';

/** Values of a date as decimal text, by metric. A metric without a value is absent. */
export type DayValues = { readonly [metric in MetricName]?: string };

/** A date with its values. */
export type DatedValues = { readonly date: string; readonly values: DayValues };

/** A date that others are judged by, and the metrics whose values a person accepted. */
export type EarlierDate = DatedValues & { readonly byPerson?: readonly MetricName[] };

/** Returns whether a text is a value of a metric, in the one form that values have. */
export function isValue(metric: MetricName, text: string): boolean {
  const read = toMetricValue(metric, text);
  return 'value' in read && read.value === text;
}

/** Returns the metrics that have a value, in the order of the object. */
export function metricsIn(values: DayValues): MetricName[] {
  return Object.keys(values) as MetricName[]; // Object.keys loses the key type
}

/** Returns the values of these metrics only. */
export function pickValues(values: DayValues, metrics: readonly MetricName[]): DayValues {
  return Object.fromEntries(
    metrics.flatMap((metric) => {
      const value = values[metric];
      return value === undefined ? [] : [[metric, value]];
    }),
  );
}

/** Returns the median of numbers; `undefined` of none. */
export function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length - 1 - middle];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}
