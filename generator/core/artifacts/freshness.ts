import { CHAINS } from '../../../schemas/catalog.js';
import {
  endOfDayMs,
  parseInstant,
  toDate,
  toDayNumber,
  toInstant,
  wholeDaysBetween,
} from '../../../schemas/dates.js';
import type { Chain, Freshness, NextDate, SourceSegment } from '../../../schemas/types.generated.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** After its deadline, the hourly run that collects a date publishes it within this time. */
const PUBLISHED_WITHIN_MS = HOUR_MS;

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
  sources: readonly SourceSegment[],
): FreshnessFields {
  const publishedMs = parseInstant(publishedAt);
  if (publishedMs === undefined) throw new RangeError(`${publishedAt} is not an instant`);
  const lag = lastAvailable === null ? null : lagDays(lastAvailable, publishedMs);
  return {
    last_available: lastAvailable,
    lag_days: lag,
    freshness: classifyFreshness(chain, lag),
    expected_next_by: expectedNextBy(chain, updatedThrough, sources),
  };
}

/** Returns the whole days from the end of `date` to `atMs`; 0 before the day has ended. */
export function lagDays(date: string, atMs: number): number {
  return Math.max(0, wholeDaysBetween(endOfDayMs(toDayNumber(date)), atMs));
}

/**
 * Returns when the date after `updatedThrough` is due: an hour after its deadline if its source has a schedule, its end plus
 * the chain's expected lag otherwise.
 */
export function expectedNextBy(
  chain: Chain,
  updatedThrough: string,
  sources: readonly SourceSegment[],
): string {
  const nextDay = toDayNumber(updatedThrough) + 1;
  const schedule = sources.at(-1)?.schedule;
  if (schedule === undefined) return toInstant(endOfDayMs(nextDay + CHAINS[chain].expectedLagDays));
  return toInstant(endOfDayMs(nextDay) + schedule.deadline_hours * HOUR_MS + PUBLISHED_WITHIN_MS);
}

/** Returns when the date after `updatedThrough` is collected; `undefined` if its source has no schedule. */
export function nextDateOf(updatedThrough: string, sources: readonly SourceSegment[]): NextDate | undefined {
  const schedule = sources.at(-1)?.schedule;
  if (schedule === undefined) return undefined;
  const nextDay = toDayNumber(updatedThrough) + 1;
  const endMs = endOfDayMs(nextDay);
  return {
    date: toDate(nextDay),
    first_try_at: toInstant(endMs + schedule.first_try_hours * HOUR_MS),
    deadline_at: toInstant(endMs + schedule.deadline_hours * HOUR_MS),
    settled_at: toInstant(endMs + schedule.settling_days * DAY_MS),
  };
}

function classifyFreshness(chain: Chain, lag: number | null): Freshness {
  if (lag === null || lag > CHAINS[chain].staleAfterDays) return 'stale';
  return lag > CHAINS[chain].expectedLagDays ? 'late' : 'fresh';
}
