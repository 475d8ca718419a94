import type { Chain, MetricName, Quantity, QuantityForm } from '../../../schemas/types.generated.js';
import { columnOf, type Column, type InputSeries } from '../input/input-series.js';

/**
 * Computes a quantity for every date: the numerator divided by the product of the denominators. Null where an operand
 * is missing, a denominator is 0, or the result is not finite. `undefined` when the chain has no such quantity.
 * Source: methodology v1 §2, §11.
 */
export function quantitySeries(quantity: Quantity, series: InputSeries): Column | undefined {
  const form = formOf(quantity, series.chain);
  if (form === undefined) return undefined;
  const numerator = operand(form.numerator, series);
  const denominators = form.denominators.map((factor) => operand(factor, series));
  return series.dates.map((_, i) =>
    divide(
      numerator(i),
      denominators.map((at) => at(i)),
    ),
  );
}

/** Returns the metrics that a quantity uses on `chain`. */
export function metricsRead(quantity: Quantity, chain: Chain): MetricName[] {
  const form = formOf(quantity, chain);
  if (form === undefined) return [];
  return [form.numerator, ...form.denominators].filter(
    (factor) => typeof factor === 'string',
  ) as MetricName[]; // a text names a metric (schema)
}

function formOf(quantity: Quantity, chain: Chain): QuantityForm | undefined {
  return quantity.forms.find((form) => form.chains.includes(chain));
}

function operand(factor: string | number, series: InputSeries): (i: number) => number | null {
  if (typeof factor === 'number') return () => factor;
  const column = columnOf(series, factor as MetricName); // a text names a metric (schema)
  return (i) => column[i] ?? null;
}

function divide(numerator: number | null, denominators: readonly (number | null)[]): number | null {
  if (numerator === null) return null;
  if (denominators.length === 0) return numerator;
  let product = 1;
  for (const factor of denominators) {
    if (factor === null) return null;
    product *= factor;
  }
  const ratio = numerator / product;
  return Number.isFinite(ratio) ? ratio : null;
}
