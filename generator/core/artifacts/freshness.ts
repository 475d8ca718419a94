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

/** How fresh a chain was at `publishedAt`. A chain without an available date is stale. */
export function toFreshness(
  chain: Chain,
  updatedThrough: string,
  lastAvailable: string | null,
  publishedAt: string,
): FreshnessFields {
  const lag = lastAvailable === null ? null : lagDays(lastAvailable, parseInstant(publishedAt) ?? NaN);
  return {
    last_available: lastAvailable,
    lag_days: lag,
    freshness: judge(chain, lag),
    expected_next_by: expectedNextBy(chain, updatedThrough),
  };
}

/** Whole days from the end of `date` to the instant `atMs`; 0 while the day is not over. */
export function lagDays(date: string, atMs: number): number {
  return Math.max(0, wholeDaysBetween(endOfDayMs(toDayNumber(date)), atMs));
}

/** When the date after `updatedThrough` is due: the end of that date plus the chain's expected lag. */
export function expectedNextBy(chain: Chain, updatedThrough: string): string {
  const nextDay = toDayNumber(updatedThrough) + 1;
  return toInstant(endOfDayMs(nextDay + CHAINS[chain].expectedLagDays));
}

function judge(chain: Chain, lag: number | null): Freshness {
  if (lag === null || lag > CHAINS[chain].staleAfterDays) return 'stale';
  return lag > CHAINS[chain].expectedLagDays ? 'late' : 'fresh';
}
