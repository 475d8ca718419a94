import { METRICS } from '../../../../schemas/catalog.js';
import type { MetricName } from '../../../../schemas/types.generated.js';
import { isWhole, toDecimalText } from './decimal-text.js';

/** Units in which every value is a whole number. */
const COUNTED: ReadonlySet<string> = new Set([
  'transactions',
  'addresses',
  'transfers',
  'blocks',
  'weight units',
  'bytes',
  'gas',
]);

/** Returns whether every value of a metric is a whole number. */
export function isCounted(metric: MetricName): boolean {
  return COUNTED.has(METRICS[metric].unit);
}

/** A value as exact decimal text, or what a value of the metric must be. */
type MetricValue = { readonly value: string } | { readonly expected: string };

/** Returns a number of a source as a value of the metric. */
export function toMetricValue(metric: MetricName, text: string): MetricValue {
  const value = toDecimalText(text);
  if (value === undefined) return { expected: 'a number' };
  if (value.startsWith('-')) return { expected: 'a number of at least 0' };
  if (isCounted(metric) && !isWhole(value)) return { expected: 'a whole number' };
  return { value };
}
