import type { AxisTerm, Driver, Methodology } from '../../../schemas/types.generated.js';
import type { AxesZ, DimensionZ } from './axes.js';
import type { Rounding } from '../statistics/rounding.js';
import type { SignalSeries } from './signals.js';

/** The series that drivers are computed from. */
type DriverSources = {
  readonly signals: readonly SignalSeries[];
  readonly dimensions: DimensionZ;
  readonly axes: AxesZ;
};

/**
 * Returns every available signal that moves an available axis on date `t`, strongest first, then by name.
 * Source: methodology v1 §8.
 */
export function driversAt(
  t: number,
  { signals, dimensions, axes }: DriverSources,
  methodology: Methodology,
  rounding: Rounding,
): Driver[] {
  const drivers: Driver[] = [];
  for (const axis of ['demand', 'pressure'] as const) {
    if ((axes[axis][t] ?? null) === null) continue;
    const available = methodology.axes[axis].filter(
      (term) => (dimensions[term.dimension]?.[t] ?? null) !== null,
    );
    for (const term of available) {
      const share = term.weight / sumOf(available, (each: AxisTerm) => each.weight);
      drivers.push(...dimensionDrivers(t, signals, term.dimension, share, rounding));
    }
  }
  return drivers.sort(
    (a, b) => Math.abs(b.contribution) - Math.abs(a.contribution) || (a.signal < b.signal ? -1 : 1),
  );
}

function dimensionDrivers(
  t: number,
  signals: readonly SignalSeries[],
  dimension: Driver['dimension'],
  share: number,
  rounding: Rounding,
): Driver[] {
  const available = signals.filter(
    (signal) => signal.definition.dimension === dimension && (signal.z[t] ?? null) !== null,
  );
  const weights = sumOf(available, (signal) => signal.definition.weight);
  return available.flatMap((signal) => {
    const z = signal.z[t] ?? 0;
    if (z === 0) return [];
    const contribution = rounding.combined((signal.definition.weight / weights) * share * z);
    return [toDriver(t, signal, z, contribution, rounding)];
  });
}

function toDriver(
  t: number,
  signal: SignalSeries,
  z: number,
  contribution: number,
  rounding: Rounding,
): Driver {
  const inUnit = (x: number): number =>
    rounding.quantity(signal.definition.transform === 'ln' ? Math.exp(x) : x);
  const value = signal.value[t] ?? null;
  const available = (signal.transformed[t] ?? null) !== null;
  return {
    dimension: signal.definition.dimension,
    signal: signal.definition.signal,
    direction: z > 0 ? 'up' : 'down',
    z,
    contribution,
    value: value === null || !available ? null : rounding.quantity(value),
    smoothed: inUnit(signal.smoothed[t] ?? NaN),
    baseline: inUnit(signal.baselines[t]?.median ?? NaN),
    unit: signal.unit,
  };
}

function sumOf<T>(items: readonly T[], weight: (item: T) => number): number {
  return items.reduce((sum, item) => sum + weight(item), 0);
}
