import type { DataQualitySettings } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';
import type { Rounding } from '../statistics/rounding.js';
import type { SignalSeries } from './signals.js';

/** The data quality of a date and its parts, each from 0 to 1. */
export type DataQuality = {
  readonly data_quality: number;
  readonly completeness: number;
  readonly depth: number;
  readonly density: number;
};

/** Computes the data quality of every date, weighted over the expected signals. Source: methodology v1 §6. */
export function computeDataQuality(
  signals: readonly SignalSeries[],
  settings: DataQualitySettings,
  rounding: Rounding,
): DataQuality[] {
  const parts = signals.map((signal) => ({
    weight: signal.definition.weight,
    recent: countAvailable(signal.transformed, settings.completeness.days),
    month: countAvailable(signal.transformed, settings.density.days),
    year: signal.counts,
  }));
  return (parts[0]?.year ?? []).map((_, t) => {
    let [completeness, depth, density, weights] = [0, 0, 0, 0];
    for (const part of parts) {
      completeness += part.weight * ((part.recent[t] ?? 0) / settings.completeness.days);
      depth += part.weight * Math.min(1, (part.year[t] ?? 0) / settings.depth.values);
      density += part.weight * ((part.month[t] ?? 0) / settings.density.days);
      weights += part.weight;
    }
    const total =
      settings.completeness.weight * completeness +
      settings.depth.weight * depth +
      settings.density.weight * density;
    return {
      data_quality: rounding.combined(total / weights),
      completeness: rounding.combined(completeness / weights),
      depth: rounding.combined(depth / weights),
      density: rounding.combined(density / weights),
    };
  });
}

/** Counts the available values in the last `days` dates up to each date. */
function countAvailable(values: Column, days: number): number[] {
  let count = 0;
  return values.map((value, t) => {
    if (value !== null) count += 1;
    if ((values[t - days] ?? null) !== null) count -= 1;
    return count;
  });
}
