import { endOfDayMs, parseInstant, toDayNumber, toInstant } from '../../schemas/dates.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { withoutOption } from '../../infra/process/shell-command.js';
import { GeneratorError } from '../core/generator-error.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';

/** Tolerance for an instant ahead of a clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The time of a clock, and its name for messages. */
export type TrustedClock = {
  readonly nowMs: number;
  readonly name: string;
  /** Set if it is the clock of this machine: what to do before anything else, because that clock may be behind. */
  readonly caution?: string;
};

/** Returns the store's own clock if it has one, otherwise this machine's. Precondition: the store has answered. */
export function readClock(store: ObjectStore, now: () => number): TrustedClock {
  const nowMs = store.now?.();
  return nowMs === undefined ? machineClock(now) : { nowMs, name: `the clock of ${store.address}` };
}

export function machineClock(now: () => number): TrustedClock {
  return {
    nowMs: now(),
    name: "this machine's clock",
    caution: "compare this machine's clock first (date -u): if it is behind, set it and run again",
  };
}

/** Returns whether an instant is more than five minutes ahead of the clock. */
export function isAhead(instant: string | number, { nowMs }: TrustedClock): boolean {
  const ms = typeof instant === 'number' ? instant : (parseInstant(instant) ?? NaN);
  return ms > nowMs + CLOCK_TOLERANCE_MS;
}

/** Throws GeneratorError 'usage' if an as-of instant is more than five minutes ahead of a clock. */
export function assertNotAhead(asOfMs: number, clock: TrustedClock): void {
  if (!isAhead(asOfMs, clock)) return;
  throw new GeneratorError(
    'usage',
    `--as-of ${toInstant(asOfMs)} is ahead of ${clock.name}, ${toInstant(clock.nowMs)}. Use an earlier instant, or set this machine's clock.`,
    { next: (args) => withoutOption(args, '--as-of') },
  );
}

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
