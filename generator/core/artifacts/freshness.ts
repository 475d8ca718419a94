import { CHAINS } from '../../../schemas/catalog.js';
import {
  endOfDayMs,
  parseInstant,
  toDayNumber,
  toInstant,
  wholeDaysBetween,
} from '../../../schemas/dates.js';
import type { Chain, Freshness } from '../../../schemas/types.generated.js';

/** The freshness members of status, landing and summary. */
export type FreshnessFields = {
  readonly last_available: string | null;
  readonly lag_days: number | null;
  readonly freshness: Freshness;
  readonly expected_next_by: string;
};

/**
 * Returns how fresh a chain was at `publishedAt`. A chain without an available date is stale.
 * @throws RangeError if `publishedAt` is not an instant.
 */
export function toFreshness(
  chain: Chain,
  updatedThrough: string,
  lastAvailable: string | null,
  publishedAt: string,
): FreshnessFields {
  const publishedMs = parseInstant(publishedAt);
  if (publishedMs === undefined) throw new RangeError(`${publishedAt} is not an instant`);
  const lag = lastAvailable === null ? null : lagDays(lastAvailable, publishedMs);
  return {
    last_available: lastAvailable,
    lag_days: lag,
    freshness: classifyFreshness(chain, lag),
    expected_next_by: expectedNextBy(chain, updatedThrough),
  };
}

/** Returns the whole days from the end of `date` to `atMs`; 0 before the day has ended. */
export function lagDays(date: string, atMs: number): number {
  return Math.max(0, wholeDaysBetween(endOfDayMs(toDayNumber(date)), atMs));
}

/** Returns when the date after `updatedThrough` is due: its end plus the chain's expected lag. */
export function expectedNextBy(chain: Chain, updatedThrough: string): string {
  const nextDay = toDayNumber(updatedThrough) + 1;
  return toInstant(endOfDayMs(nextDay + CHAINS[chain].expectedLagDays));
}

function classifyFreshness(chain: Chain, lag: number | null): Freshness {
  if (lag === null || lag > CHAINS[chain].staleAfterDays) return 'stale';
  return lag > CHAINS[chain].expectedLagDays ? 'late' : 'fresh';
}
