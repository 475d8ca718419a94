import type { AxisTerm, Dimension, Methodology } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';
import type { Rounding } from '../statistics/rounding.js';
import type { SignalSeries } from './signals.js';

/** The z-scores of each dimension that the chain has signals for. */
export type DimensionZ = { readonly [dimension in Dimension]?: Column };

/** The z-scores of both axes. */
export type AxesZ = { readonly demand: Column; readonly pressure: Column };

/** Computes each dimension per date: the weighted mean of its available signals, or null. Source: methodology v1 §3. */
export function computeDimensions(signals: readonly SignalSeries[], rounding: Rounding): DimensionZ {
  const dimensions = [...new Set(signals.map((signal) => signal.definition.dimension))];
  return Object.fromEntries(
    dimensions.map((dimension) => {
      const parts = signals
        .filter((signal) => signal.definition.dimension === dimension)
        .map((signal) => ({ weight: signal.definition.weight, z: signal.z }));
      return [dimension, weightedMeans(parts, rounding)];
    }),
  );
}

/** Computes both axes per date; null where a required dimension is missing. Source: methodology v1 §3. */
export function computeAxes(dimensions: DimensionZ, { axes }: Methodology, rounding: Rounding): AxesZ {
  return {
    demand: combine(axes.demand, dimensions, rounding),
    pressure: combine(axes.pressure, dimensions, rounding),
  };
}

function combine(definition: readonly AxisTerm[], dimensions: DimensionZ, rounding: Rounding): Column {
  const parts = definition.flatMap((term) => {
    const z = dimensions[term.dimension];
    return z === undefined ? [] : [{ weight: term.weight, z }];
  });
  const required = definition.filter((term) => term.required).map((term) => dimensions[term.dimension]);
  return weightedMeans(parts, rounding).map((z, t) =>
    required.every((column) => (column?.[t] ?? null) !== null) ? z : null,
  );
}

function weightedMeans(
  parts: readonly { readonly weight: number; readonly z: Column }[],
  rounding: Rounding,
): Column {
  return (parts[0]?.z ?? []).map((_, t) => {
    let sum = 0;
    let weights = 0;
    for (const part of parts) {
      const z = part.z[t] ?? null;
      if (z === null) continue;
      sum += part.weight * z;
      weights += part.weight;
    }
    return weights === 0 ? null : rounding.combined(sum / weights);
  });
}
