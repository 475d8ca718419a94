import type {
  Chain,
  Methodology,
  MetricName,
  Quantity,
  QuantityForm,
  SignalDefinition,
} from '../../../schemas/types.generated.js';
import { type Column, columnOf, type InputSeries } from '../input/input-series.js';
import { type BaselineSeries, followBaseline, smooth } from '../statistics/baseline.js';
import type { Rounding } from '../statistics/rounding.js';

/** A signal of a chain: the values of its quantity, a formula of metrics, and their z-scores. Shape: every column has one element per date of the series. */
export type SignalSeries = BaselineSeries & {
  readonly definition: SignalDefinition;
  readonly unit: string;
  /** The untransformed value of the day. */
  readonly value: Column;
  /** The transformed value: x in the methodology. */
  readonly transformed: Column;
  readonly smoothed: Column;
  readonly z: Column;
};

/** Returns the signals that `chain` is expected to have, in the order of the methodology's table. */
export function expectedSignals(methodology: Methodology, chain: Chain): SignalDefinition[] {
  return methodology.signals.filter((definition) => definition.chains.includes(chain));
}

/** Returns the metrics that a chain's regime depends on, sorted. */
export function methodologyInputs(methodology: Methodology, chain: Chain): MetricName[] {
  const read = expectedSignals(methodology, chain).flatMap((definition) => {
    const quantity = methodology.quantities[definition.signal];
    return quantity === undefined ? [] : metricsRead(quantity, chain);
  });
  return [...new Set(read)].sort();
}

/** Returns the names of the signals without a z on date `t`, in the order of the methodology's table. */
export function missingSignalsAt(t: number, signals: readonly SignalSeries[]): string[] {
  return signals.filter(({ z }) => (z[t] ?? null) === null).map(({ definition }) => definition.signal);
}

/** Computes the expected signals of a series, each with its z-score against its last year. Source: methodology v1 §2. */
export function computeSignals(
  series: InputSeries,
  methodology: Methodology,
  rounding: Rounding,
): SignalSeries[] {
  return expectedSignals(methodology, series.chain).map((definition) => {
    const quantity = methodology.quantities[definition.signal];
    const value = quantity && quantitySeries(quantity, series);
    if (quantity === undefined || value === undefined) {
      throw new Error(
        `methodology ${methodology.version}: no quantity ${definition.signal} on ${series.chain}`,
      );
    }
    const transformed = value.map((each) => transform(each, definition));
    const { window, trim } = methodology.smoothing;
    const smoothed = smooth(transformed, window, trim);
    const baseline = followBaseline(smoothed, methodology.baseline, definition.min_scale);
    const z = zScores(smoothed, baseline, methodology.z_limit, rounding);
    return { definition, unit: quantity.unit, value, transformed, smoothed, ...baseline, z };
  });
}

function transform(value: number | null, definition: SignalDefinition): number | null {
  if (value === null || definition.transform === 'none') return value;
  return value > 0 ? Math.log(value) : null;
}

function zScores(smoothed: Column, { baselines }: BaselineSeries, limit: number, rounding: Rounding): Column {
  return smoothed.map((s, t) => {
    const baseline = baselines[t];
    if (s === null || baseline === null || baseline === undefined) return null;
    const z = rounding.signal((s - baseline.median) / baseline.scale);
    return Math.max(-limit, Math.min(limit, z));
  });
}

/**
 * Computes a quantity for every date: the numerator, times the elasticity of the date if the form has one, divided by the
 * product of the denominators. Null where an operand
 * is missing, a denominator is 0, or the result is not finite. `undefined` when the chain has no such quantity.
 * Source: methodology v1 §2, §11.
 */
export function quantitySeries(quantity: Quantity, series: InputSeries): Column | undefined {
  const form = formOf(quantity, series.chain);
  if (form === undefined) return undefined;
  const numerator = operand(form.numerator, series);
  const factor = factorOf(form, series);
  const denominators = form.denominators.map((each) => operand(each, series));
  return series.dates.map((_, i) =>
    divide(
      times(numerator(i), factor(i)),
      denominators.map((at) => at(i)),
    ),
  );
}

/** Returns the metrics that a quantity uses on `chain`. */
function metricsRead(quantity: Quantity, chain: Chain): MetricName[] {
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

/** Returns the elasticity of the form by date: that of its last step that is not after the date. */
function factorOf({ elasticity = [] }: QuantityForm, { dates }: InputSeries): (i: number) => number {
  return (i) => elasticity.findLast(({ from }) => from === null || from <= (dates[i] ?? ''))?.value ?? 1;
}

function times(numerator: number | null, factor: number): number | null {
  return numerator === null ? null : factor * numerator;
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
