import { CHAINS } from '../../../schemas/catalog.js';
import {
  endOfDayMs,
  parseInstant,
  toDate,
  toDayNumber,
  toInstant,
  wholeDaysBetween,
} from '../../../schemas/dates.js';
import { freshnessLimits, judgeFreshness, type FreshnessLimits } from '../../../schemas/freshness.js';
import type { Chain, Freshness, NextDate, SourceSegment } from '../../../schemas/types.generated.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** After its deadline, the hourly run that collects a date publishes it within this time. */
const PUBLISHED_WITHIN_MS = HOUR_MS;

/** How fresh a chain is at one time. */
export type FreshnessNow = {
  readonly last_available: string | null;
  /** Whole days since the end of `last_available`; null if no date is available. */
  readonly lag_days: number | null;
  readonly freshness: Freshness;
  readonly expected_next_by: string;
};

/** The freshness members of status, landing and summary. They stay true as time passes. */
export type PublishedFreshness = Pick<FreshnessNow, 'last_available' | 'expected_next_by'> &
  FreshnessLimits & { readonly freshness_at_publication: Freshness };

/** Returns how fresh a chain was at `publishedAt`, and when it becomes late and stale. @throws like `toFreshness`. */
export function toPublishedFreshness(...options: Parameters<typeof toFreshness>): PublishedFreshness {
  const [chain] = options;
  const { last_available, freshness, expected_next_by } = toFreshness(...options);
  return {
    last_available,
    freshness_at_publication: freshness,
    ...freshnessLimits(chain, last_available),
    expected_next_by,
  };
}

/**
 * Returns how fresh a chain is at a time. A chain without an available date is stale.
 * @throws RangeError if `at` is not an instant.
 */
export function toFreshness(
  chain: Chain,
  updatedThrough: string,
  lastAvailable: string | null,
  at: string,
  sources: readonly SourceSegment[],
): FreshnessNow {
  const atMs = parseInstant(at);
  if (atMs === undefined) throw new RangeError(`${at} is not an instant`);
  return {
    last_available: lastAvailable,
    lag_days: lastAvailable === null ? null : lagDays(lastAvailable, atMs),
    freshness: judgeFreshness(freshnessLimits(chain, lastAvailable), atMs),
    expected_next_by: expectedNextBy(chain, updatedThrough, sources),
  };
}

/** Returns the freshness of a chain in a phrase that stays true as time passes: "fresh at publication, late from ...". */
export function freshnessWords({
  freshness_at_publication: word,
  late_after: late,
  stale_after: stale,
}: Pick<PublishedFreshness, 'freshness_at_publication' | keyof FreshnessLimits>): string {
  const [instant, next] = word === 'fresh' ? [late, 'late'] : [stale, 'stale'];
  const isOver = word === 'stale' || instant === null;
  return isOver ? `${word} at publication` : `${word} at publication, ${next} from ${instant}`;
}

/** Returns when the next date is due, at the publication of a release: "is due by ...", or "was due by ..., and is late". */
export function dueWords(expectedNextBy: string, publishedAt: string): string {
  return isOverdue(expectedNextBy, publishedAt)
    ? `was due by ${expectedNextBy}, and is late`
    : `is due by ${expectedNextBy}`;
}

/** Returns whether the next date was due at the publication of a release. */
export function isOverdue(expectedNextBy: string, publishedAt: string): boolean {
  return publishedAt > expectedNextBy; // both are instants of one form
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
