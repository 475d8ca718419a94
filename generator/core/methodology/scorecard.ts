import type { DimensionScore, Level, ScorecardSettings, Trend } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';
import type { Rounding } from '../statistics/rounding.js';

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
