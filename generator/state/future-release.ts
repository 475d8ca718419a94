import { endOfDayMs, toDayNumber, toInstant } from '../../schemas/dates.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { isAhead, type TrustedClock } from './trusted-clock.js';

/** Returns a sentence about a release that was published after the current time, by a machine whose clock was ahead; otherwise null. */
export function describeFuture(
  { revision, published_at: publishedAt }: Pick<ReleaseRecord, 'revision' | 'published_at'>,
  clock: TrustedClock,
): string | null {
  if (!isAhead(publishedAt, clock)) return null;
  const { name, nowMs, caution } = clock;
  const advice = caution === undefined ? '' : `; ${caution}`;
  return `release ${revision} is from the future: it was published at ${publishedAt}, but ${name} shows ${toInstant(nowMs)}${advice}`;
}

/** Returns whether the day of a chain's newest date has not ended. */
export function isUnfinished(updatedThrough: string, { nowMs }: TrustedClock): boolean {
  return endOfDayMs(toDayNumber(updatedThrough)) > nowMs;
}
