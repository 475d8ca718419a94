import type { Chain, Methodology, MetricName, SignalTerms } from '../../../schemas/types.generated.js';
import type { Column, InputSeries } from '../input-series.js';
import { followBaseline, type BaselineSeries } from './baseline.js';
import { metricsRead, quantitySeries } from './quantities.js';
import type { Rounding } from './rounding.js';
import { smooth } from './smoothing.js';

/** One signal of a chain. Shape: every column has one element per date of the series. */
export type SignalSeries = BaselineSeries & {
  readonly terms: SignalTerms;
  readonly unit: string;
  /** The untransformed value of the day. */
  readonly value: Column;
  /** The transformed value: x of the text. */
  readonly transformed: Column;
  readonly smoothed: Column;
  readonly z: Column;
};

/** The signals that `chain` is expected to have, in table order. */
export function expectedSignals(methodology: Methodology, chain: Chain): SignalTerms[] {
  return methodology.signals.filter((terms) => terms.chains.includes(chain));
}

/** The metrics that a chain's signals name, sorted: the input that a regime rests on. */
export function methodologyInputs(methodology: Methodology, chain: Chain): MetricName[] {
  const read = expectedSignals(methodology, chain).flatMap((terms) => {
    const quantity = methodology.quantities[terms.signal];
    return quantity === undefined ? [] : metricsRead(quantity, chain);
  });
  return [...new Set(read)].sort();
}

/** The expected signals of a series, each with its z-score against its own last year. Source: methodology v1 §2. */
export function computeSignals(
  series: InputSeries,
  methodology: Methodology,
  rounding: Rounding,
): SignalSeries[] {
  return expectedSignals(methodology, series.chain).map((terms) => {
    const quantity = methodology.quantities[terms.signal];
    const value = quantity && quantitySeries(quantity, series);
    if (quantity === undefined || value === undefined) {
      throw new Error(`methodology ${methodology.version}: no quantity ${terms.signal} on ${series.chain}`);
    }
    const transformed = value.map((x) => transform(x, terms));
    const { window, trim } = methodology.smoothing;
    const smoothed = smooth(transformed, window, trim);
    const baseline = followBaseline(smoothed, methodology.baseline, terms.min_scale);
    const z = zScores(smoothed, baseline, methodology.z_limit, rounding);
    return { terms, unit: quantity.unit, value, transformed, smoothed, ...baseline, z };
  });
}

function transform(x: number | null, terms: SignalTerms): number | null {
  if (x === null || terms.transform === 'none') return x;
  return x > 0 ? Math.log(x) : null;
}

function zScores(smoothed: Column, { baselines }: BaselineSeries, limit: number, rounding: Rounding): Column {
  return smoothed.map((s, t) => {
    const baseline = baselines[t];
    if (s === null || baseline === null || baseline === undefined) return null;
    const z = rounding.signal((s - baseline.median) / baseline.scale);
    return Math.max(-limit, Math.min(limit, z));
  });
}
