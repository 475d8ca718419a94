import type { Chain, Methodology, MetricName, SignalDefinition } from '../../../schemas/types.generated.js';
import type { Column, InputSeries } from '../input/input-series.js';
import { followBaseline, type BaselineSeries } from '../statistics/baseline.js';
import { metricsRead, quantitySeries } from './quantities.js';
import type { Rounding } from '../statistics/rounding.js';
import { smooth } from '../statistics/smoothing.js';

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
