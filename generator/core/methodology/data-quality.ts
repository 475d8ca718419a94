import type { DataQualityTerms } from '../../../schemas/types.generated.js';
import type { Column } from '../input-series.js';
import type { Rounding } from './rounding.js';
import type { SignalSeries } from './signals.js';

/** How much evidence a date rests on, each a share from 0 to 1. */
export type DataQuality = {
  readonly data_quality: number;
  readonly completeness: number;
  readonly depth: number;
  readonly density: number;
};

/** Data quality of every date over the expected signals, weighted. Source: methodology v1 §6. */
export function computeDataQuality(
  signals: readonly SignalSeries[],
  terms: DataQualityTerms,
  rounding: Rounding,
): DataQuality[] {
  const parts = signals.map((signal) => ({
    weight: signal.terms.weight,
    recent: countAvailable(signal.transformed, terms.completeness.days),
    month: countAvailable(signal.transformed, terms.density.days),
    year: signal.counts,
  }));
  return (parts[0]?.year ?? []).map((_, t) => {
    let [completeness, depth, density, weights] = [0, 0, 0, 0];
    for (const part of parts) {
      completeness += part.weight * ((part.recent[t] ?? 0) / terms.completeness.days);
      depth += part.weight * Math.min(1, (part.year[t] ?? 0) / terms.depth.values);
      density += part.weight * ((part.month[t] ?? 0) / terms.density.days);
      weights += part.weight;
    }
    const total =
      terms.completeness.weight * completeness + terms.depth.weight * depth + terms.density.weight * density;
    return {
      data_quality: rounding.combined(total / weights),
      completeness: rounding.combined(completeness / weights),
      depth: rounding.combined(depth / weights),
      density: rounding.combined(density / weights),
    };
  });
}

/** How many values are available in the last `days` dates of each date. */
function countAvailable(values: Column, days: number): number[] {
  let count = 0;
  return values.map((value, t) => {
    if (value !== null) count += 1;
    if ((values[t - days] ?? null) !== null) count -= 1;
    return count;
  });
}
