import type {
  AxisName,
  AxisTerm,
  Band,
  ConfidenceLevel,
  ConfidenceSettings,
  DataQualitySettings,
  DayStatus,
  Dimension,
  Level,
  Methodology,
  RegimeLabel,
} from '../../../schemas/types.generated.js';
import { type Column, columnOf, type InputSeries } from '../input/input-series.js';
import { createRounding, type Rounding } from '../statistics/rounding.js';
import { computeSignals, methodologyInputs, type SignalSeries } from './signals.js';

/**
 * All conclusions of the methodology about a series. Shape: one element per date in every column.
 * No element depends on a later date.
 */
export type RegimeSeries = {
  readonly methodology: Methodology;
  readonly rounding: Rounding;
  readonly dates: readonly string[];
  readonly signals: readonly SignalSeries[];
  readonly dimensions: DimensionZ;
  readonly dimensionLevels: { readonly [dimension in Dimension]?: readonly Level[] };
  readonly axes: AxesZ;
  readonly levels: { readonly [axis in AxisName]: readonly Level[] };
  readonly quality: readonly DataQuality[];
  readonly labels: readonly RegimeLabel[];
  readonly runs: readonly Run[];
  readonly status: readonly DayStatus[];
};

/** Computes the regime of every date from that date and earlier ones, in nearly linear time. */
export function computeRegimes(series: InputSeries, methodology: Methodology): RegimeSeries {
  const rounding = createRounding(methodology.rounding);
  const signals = computeSignals(series, methodology, rounding);
  const dimensions = computeDimensions(signals, rounding);
  const dimensionLevels = Object.fromEntries(
    Object.entries(dimensions).map(([dimension, z]) => [dimension, followLevels(z, methodology.levels)]),
  );
  const axes = computeAxes(dimensions, methodology, rounding);
  const levels = {
    demand: followLevels(axes.demand, methodology.levels),
    pressure: followLevels(axes.pressure, methodology.levels),
  };
  const quality = computeDataQuality(signals, methodology.data_quality, rounding);
  const inputs = methodologyInputs(methodology, series.chain).map((metric) => columnOf(series, metric));
  const labels = series.dates.map((_, t) =>
    decideLabel(
      {
        demand: levelAt(axes.demand[t], levels.demand[t]),
        pressure: levelAt(axes.pressure[t], levels.pressure[t]),
        hasInput: inputs.some((column) => (column[t] ?? null) !== null),
        dataQuality: quality[t]?.data_quality ?? 0,
      },
      methodology,
    ),
  );
  const status = labels.map((label, t) => statusOf(label, series.present[t] ?? false));
  const { dates } = series;
  return {
    methodology,
    rounding,
    dates,
    signals,
    dimensions,
    dimensionLevels,
    axes,
    levels,
    quality,
    labels,
    runs: followRuns(labels),
    status,
  };
}

/** Returns the level to publish for an axis or dimension: null when it is missing. */
export function levelAt(z: number | null | undefined, level: Level | undefined): Level | null {
  return z === null || z === undefined || level === undefined ? null : level;
}

function statusOf(label: RegimeLabel, present: boolean): DayStatus {
  if (!present) return 'missing';
  return label === 'indeterminate' ? 'degraded' : 'available';
}

/** The z-scores of each dimension that the chain has signals for. */
export type DimensionZ = { readonly [dimension in Dimension]?: Column };

/** The z-scores of both axes. */
export type AxesZ = { readonly demand: Column; readonly pressure: Column };

/** Computes each dimension per date: the weighted mean of its available signals, or null. Source: methodology v1 §3. */
function computeDimensions(signals: readonly SignalSeries[], rounding: Rounding): DimensionZ {
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

/**
 * Computes both axes per date; null where a required dimension is missing. Capacity is bounded in the axis, so that it cannot
 * turn the pressure against the cost. Source: methodology v1 §3.
 */
function computeAxes(dimensions: DimensionZ, { axes, pressure }: Methodology, rounding: Rounding): AxesZ {
  const { capacity } = dimensions;
  const bounded = capacity?.map((z) => (z === null ? null : clip(z, pressure.capacity_bound)));
  return {
    demand: combine(axes.demand, dimensions, rounding),
    pressure: combine(axes.pressure, { ...dimensions, ...(bounded && { capacity: bounded }) }, rounding),
  };
}

/** Returns `z`, but at most `bound` away from 0. */
export function clip(z: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, z));
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

/**
 * Computes levels with hysteresis: a level is entered at ±`enter` and left inside ±`exit`.
 * Shape: one level per z, same order. A missing z resets to 'normal': no evidence, no memory.
 * Precondition: 0 <= exit < enter. Source: methodology v1 §4 (hysteresis thresholding: Canny 1986).
 */
export function followLevels(z: Column, band: Band): Level[] {
  let level: Level = 'normal';
  return z.map((value) => (level = nextLevel(level, value, band)));
}

function nextLevel(level: Level, z: number | null, { enter, exit }: Band): Level {
  if (z === null) return 'normal';
  if (z >= enter) return 'high';
  if (z <= -enter) return 'low';
  if (level === 'high') return z < exit ? 'normal' : 'high';
  if (level === 'low') return z > -exit ? 'normal' : 'low';
  return 'normal';
}

/** The evidence that decides a day's label. */
type LabelEvidence = {
  readonly demand: Level | null;
  readonly pressure: Level | null;
  readonly hasInput: boolean;
  readonly dataQuality: number;
};

/** Returns the label of a day: `indeterminate` without enough evidence. Source: methodology v1 §5. */
function decideLabel(evidence: LabelEvidence, methodology: Methodology): RegimeLabel {
  const { demand, pressure, hasInput, dataQuality } = evidence;
  if (demand === null || pressure === null || !hasInput) return 'indeterminate';
  if (dataQuality < methodology.data_quality.minimum) return 'indeterminate';
  return methodology.labels[demand][pressure];
}

/** A run of consecutive dates with the same label. `days` counts from its start to the date in question. */
type Run = {
  /** Index of the first date of the run. */
  readonly start: number;
  readonly days: number;
  /** Label of the date before the run; null in the first run. */
  readonly previous: RegimeLabel | null;
};

/** Returns the run of each date, `indeterminate` runs included. Shape: one per label, same order. */
function followRuns(labels: readonly RegimeLabel[]): Run[] {
  let start = 0;
  return labels.map((label, t) => {
    if (t > 0 && labels[t - 1] !== label) start = t;
    return { start, days: t - start + 1, previous: labels[start - 1] ?? null };
  });
}

/** The data quality of a date and its parts, each from 0 to 1. */
type DataQuality = {
  readonly data_quality: number;
  readonly completeness: number;
  readonly depth: number;
  readonly density: number;
};

/** Computes the data quality of every date, weighted over the expected signals. Source: methodology v1 §6. */
function computeDataQuality(
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

/** Features of a decided label that its confidence depends on. */
export type ConfidenceFeatures = {
  /** Distance to the nearest boundary that would change a level. */
  readonly margin: number;
  readonly runDays: number;
  readonly speed: number;
  readonly missing: MissingShares;
};

/** The share of the weight of each dimension's signals that are missing, from 0 to 1. */
type MissingShares = { readonly [dimension in Dimension]: number };

const AXES: readonly AxisName[] = ['demand', 'pressure'];

/**
 * Computes the calibrated probability that hindsight gives the same label, reduced for missing signals.
 * Source: methodology v1 §7 (logistic calibration: Platt 1999).
 */
export function confidenceScore(
  { margin, runDays, speed, missing }: ConfidenceFeatures,
  settings: ConfidenceSettings,
  rounding: Rounding,
): number {
  const clippedMargin = Math.max(0, Math.min(settings.margin_limit, margin));
  const run = Math.min(runDays, settings.run_limit_days) / settings.run_limit_days;
  const clippedSpeed = Math.min(settings.speed_limit, speed);
  const logit =
    settings.intercept + settings.margin * clippedMargin + settings.run * run + settings.speed * clippedSpeed;
  let score = 1 / (1 + Math.exp(-logit));
  for (const dimension of ['demand', 'cost', 'capacity'] as const)
    score *= 1 - settings.missing[dimension] * missing[dimension];
  return rounding.confidence(score);
}

/** Returns the shares of missing signals on date `t`; 0 for a dimension that the chain has no signals for. */
export function missingSharesAt(t: number, signals: readonly SignalSeries[]): MissingShares {
  const shareOf = (dimension: Dimension): number => {
    let [missing, weights] = [0, 0];
    for (const { definition, z } of signals) {
      if (definition.dimension !== dimension) continue;
      weights += definition.weight;
      if ((z[t] ?? null) === null) missing += definition.weight;
    }
    return weights === 0 ? 0 : missing / weights;
  };
  return { demand: shareOf('demand'), cost: shareOf('cost'), capacity: shareOf('capacity') };
}

/** Returns the highest level that the score allows. Source: methodology v1 §7. */
export function confidenceLevel(score: number, { levels }: ConfidenceSettings): ConfidenceLevel {
  return levels.find(({ min_score: minimum }) => score >= minimum)?.level ?? 'low';
}

/** Returns the smallest distance of an axis to a boundary that would change its level, or null when an axis is missing. */
export function marginAt(
  t: number,
  axes: AxesZ,
  levels: { readonly [axis in AxisName]: readonly Level[] },
  band: Band,
  rounding: Rounding,
): number | null {
  let margin = Infinity;
  for (const axis of AXES) {
    const z = axes[axis][t] ?? null;
    const level = levels[axis][t];
    if (z === null || level === undefined) return null;
    margin = Math.min(margin, rounding.combined(distanceToChange(z, level, band)));
  }
  return margin;
}

function distanceToChange(z: number, level: Level, { enter, exit }: Band): number {
  if (level === 'high') return z - exit;
  return level === 'low' ? -z - exit : enter - Math.abs(z);
}

/** Returns the largest move of an axis since `lag` days before; 0 when neither axis is available on both days. */
export function speedAt(t: number, axes: AxesZ, lag: number, rounding: Rounding): number {
  let speed = 0;
  for (const axis of AXES) {
    const now = axes[axis][t] ?? null;
    const before = axes[axis][t - lag] ?? null;
    if (now !== null && before !== null) speed = Math.max(speed, Math.abs(rounding.combined(now - before)));
  }
  return speed;
}
