import { CHAINS } from './catalog.js';
import { endOfDayMs, toDayNumber, toInstant } from './dates.js';
import type { Chain, Freshness } from './types.generated.js';

/** The instants from which a chain is late and stale. Both are null for a chain without an available date, which is stale. */
export type FreshnessLimits = {
  readonly late_after: string | null;
  readonly stale_after: string | null;
};

/**
 * Returns when a chain becomes late and stale if nothing newer than `lastAvailable` is published: the end of the next date
 * plus the chain's lags.
 */
export function freshnessLimits(chain: Chain, lastAvailable: string | null): FreshnessLimits {
  if (lastAvailable === null) return { late_after: null, stale_after: null };
  const nextDay = toDayNumber(lastAvailable) + 1;
  const { expectedLagDays, staleAfterDays } = CHAINS[chain];
  return {
    late_after: toInstant(endOfDayMs(nextDay + expectedLagDays)),
    stale_after: toInstant(endOfDayMs(nextDay + staleAfterDays)),
  };
}

/** Returns the freshness at a time. */
export function judgeFreshness({ late_after, stale_after }: FreshnessLimits, atMs: number): Freshness {
  const hasPassed = (limit: string | null): boolean => limit === null || atMs >= Date.parse(limit);
  if (hasPassed(stale_after)) return 'stale';
  return hasPassed(late_after) ? 'late' : 'fresh';
}
