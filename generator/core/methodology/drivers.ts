import type {
  AxisTerm,
  DimensionScore,
  Driver,
  Level,
  Methodology,
  MetricName,
  ScorecardSettings,
  Trend,
} from '../../../schemas/types.generated.js';
import { type AxesZ, clip, type DimensionZ } from './regime-series.js';
import type { Rounding } from '../statistics/rounding.js';
import type { SignalSeries } from './signals.js';
import { type Column, columnOf, type InputSeries } from '../input/input-series.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Bytes, sha256Hex } from '../../../schemas/digest.js';

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
      const bound = term.dimension === 'capacity' ? methodology.pressure.capacity_bound : Infinity;
      drivers.push(...dimensionDrivers(t, signals, term.dimension, { share, bound }, rounding));
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
  { share, bound }: { readonly share: number; readonly bound: number },
  rounding: Rounding,
): Driver[] {
  const available = signals.filter(
    (signal) => signal.definition.dimension === dimension && (signal.z[t] ?? null) !== null,
  );
  const weights = sumOf(available, (signal) => signal.definition.weight);
  return available.flatMap((signal) => {
    const z = signal.z[t] ?? 0;
    if (z === 0) return [];
    const contribution = rounding.combined((signal.definition.weight / weights) * share * clip(z, bound));
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

/**
 * Returns the score of a dimension on date `t`: 50 is typical of the last year.
 * Source: methodology v1 §8 (logistic approximation of the normal CDF: Haley 1952).
 */
export function dimensionScore(
  z: Column,
  levels: readonly Level[],
  t: number,
  settings: ScorecardSettings,
  rounding: Rounding,
): DimensionScore {
  const now = z[t] ?? null;
  if (now === null) return { score: null, z: null, level: null, trend: null };
  const score = rounding.score(settings.scale / (1 + Math.exp(-settings.slope * now)));
  return { score, z: now, level: levels[t] ?? null, trend: trendAt(now, z[t - settings.trend_lag_days]) };

  function trendAt(current: number, before: number | null | undefined): Trend | null {
    if (before === null || before === undefined) return null;
    const change = rounding.combined(current - before);
    if (change >= settings.trend_threshold) return 'rising';
    return change <= -settings.trend_threshold ? 'falling' : 'flat';
  }
}

const DIGEST_BYTES = 32;

/**
 * Returns a function from date index `t` to the SHA-256 over the row digests of the last `days` dates up to `t`.
 * Dates before the series contribute nothing. Each row digest is computed once, on first use.
 * Source: methodology v1 §9.
 */
export function createInputsDigest(
  series: InputSeries,
  inputs: readonly MetricName[],
  days: number,
): (t: number) => string {
  const columns = inputs.map((metric) => [metric, columnOf(series, metric)] as const);
  const digests = new Uint8Array(series.dates.length * DIGEST_BYTES);
  const isDigested = new Uint8Array(series.dates.length);

  function digestRow(t: number): void {
    const metrics = Object.fromEntries(columns.map(([metric, column]) => [metric, column[t] ?? null]));
    const row = canonicalJson({ chain: series.chain, date: series.dates[t], metrics });
    digests.set(sha256Bytes(row), t * DIGEST_BYTES);
    isDigested[t] = 1;
  }

  return (t) => {
    const first = Math.max(0, t - days + 1);
    for (let i = first; i <= t; i += 1) if (isDigested[i] === 0) digestRow(i);
    return sha256Hex(digests.subarray(first * DIGEST_BYTES, (t + 1) * DIGEST_BYTES));
  };
}
