import type { DimensionScore, Level, ScorecardTerms, Trend } from '../../../schemas/types.generated.js';
import type { Column } from '../input-series.js';
import type { Rounding } from './rounding.js';

/**
 * How a dimension stands on date `t`: 50 is typical of the last year.
 * Source: methodology v1 §8 (logistic approximation of the normal CDF: Haley 1952).
 */
export function dimensionScore(
  z: Column,
  levels: readonly Level[],
  t: number,
  terms: ScorecardTerms,
  rounding: Rounding,
): DimensionScore {
  const now = z[t] ?? null;
  if (now === null) return { score: null, z: null, level: null, trend: null };
  const score = rounding.score(terms.scale / (1 + Math.exp(-terms.slope * now)));
  return { score, z: now, level: levels[t] ?? null, trend: trendAt(now, z[t - terms.trend_lag_days]) };

  function trendAt(current: number, before: number | null | undefined): Trend | null {
    if (before === null || before === undefined) return null;
    const change = rounding.combined(current - before);
    if (change >= terms.trend_threshold) return 'rising';
    return change <= -terms.trend_threshold ? 'falling' : 'flat';
  }
}
