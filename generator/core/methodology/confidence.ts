import type {
  AxisName,
  Band,
  ConfidenceLevel,
  ConfidenceSettings,
  ConfidenceStep,
  Level,
} from '../../../schemas/types.generated.js';
import type { AxesZ } from './axes.js';
import type { Rounding } from '../statistics/rounding.js';

/** Features of a decided label that its confidence depends on. */
export type ConfidenceFeatures = {
  /** Distance to the nearest boundary that would change a level. */
  readonly margin: number;
  readonly runDays: number;
  readonly speed: number;
};

const AXES: readonly AxisName[] = ['demand', 'pressure'];

/**
 * Computes the calibrated probability that hindsight gives the same label.
 * Source: methodology v1 §7 (logistic calibration: Platt 1999).
 */
export function confidenceScore(
  { margin, runDays, speed }: ConfidenceFeatures,
  settings: ConfidenceSettings,
  rounding: Rounding,
): number {
  const clippedMargin = Math.max(0, Math.min(settings.margin_limit, margin));
  const run = Math.min(runDays, settings.run_limit_days) / settings.run_limit_days;
  const clippedSpeed = Math.min(settings.speed_limit, speed);
  const logit =
    settings.intercept + settings.margin * clippedMargin + settings.run * run + settings.speed * clippedSpeed;
  return rounding.confidence(1 / (1 + Math.exp(-logit)));
}

/** Returns the highest level that both the score and the data quality allow. Source: methodology v1 §7. */
export function confidenceLevel(
  score: number,
  dataQuality: number,
  settings: ConfidenceSettings,
): ConfidenceLevel {
  const step = settings.levels.find(
    ({ min_score: minScore, min_data_quality: minQuality }) => score >= minScore && dataQuality >= minQuality,
  );
  return step?.level ?? 'low';
}

/** Returns the lowest level that the score alone would reach and the data quality does not allow, or null if there is none. */
export function deniedLevel(
  score: number,
  dataQuality: number,
  settings: ConfidenceSettings,
): ConfidenceStep | null {
  const denied = settings.levels.findLast(
    ({ min_score: minScore, min_data_quality: minQuality }) => score >= minScore && dataQuality < minQuality,
  );
  return denied ?? null;
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
