import { addDays } from '../../schemas/dates.js';
import type { ChainStatus } from '../../schemas/types.generated.js';
import { lagDays } from '../core/artifacts/freshness.js';

/**
 * Number of dates that a chain needs for its first label: smoothing needs 4 dates, the baseline 90 smoothed values, and it
 * ends 7 days before the date (3 + 90 + 7). Source: methodology v1 §2.
 */
export const WARM_UP_DATES = 100;

/** A new chain without enough history for a label. `until` is the first date that can have one. */
export type WarmUp = {
  readonly until: string;
  /** Whole days from the end of the newest date until now. */
  readonly lag_days: number;
};

/** Returns the warm-up of a chain, or null once it has ended. */
export function warmUpOf(
  { updated_through: through, last_available, days }: ChainStatus,
  nowMs: number,
): WarmUp | null {
  const { available, degraded, missing, withdrawn } = days;
  const dates = available + degraded + missing + withdrawn;
  if (last_available !== null || dates >= WARM_UP_DATES) return null;
  return { until: addDays(through, WARM_UP_DATES - dates), lag_days: lagDays(through, nowMs) };
}
