/** Time of a stage, and share of its work, before which an estimate would say more about the start than about the rest. */
const MIN_ELAPSED_MS = 3_000;
const MIN_SHARE = 0.05;
/** Time in which the weight of earlier work falls to 37 %. */
const MEMORY_MS = 20_000;
/** Longest time left that is named, in seconds. Beyond it, an estimate says no more than that the stage takes long. */
const MAX_SECONDS = 24 * 3_600;

/** The work of a stage so far. `done` and `elapsedMs` count from its start. */
type StageWork = { readonly elapsedMs: number; readonly done: number };

/** The work of a stage so far, and its recent part: earlier work counts less, the longer ago it was. */
export type Pace = StageWork & { readonly recentMs: number; readonly recentDone: number };

export const NO_PACE: Pace = { elapsedMs: 0, done: 0, recentMs: 0, recentDone: 0 };

/** Returns the pace after more work, smoothed exponentially. Time or work that goes back counts as none. */
export function nextPace(before: Pace, { elapsedMs, done }: StageWork): Pace {
  const passedMs = Math.max(0, elapsedMs - before.elapsedMs);
  const weight = Math.exp(-passedMs / MEMORY_MS);
  return {
    elapsedMs: before.elapsedMs + passedMs,
    done: Math.max(before.done, done),
    recentMs: before.recentMs * weight + passedMs,
    recentDone: before.recentDone * weight + Math.max(0, done - before.done),
  };
}

/**
 * Estimates the seconds left at the recent speed, at least 1. Returns `undefined` while it is too early, when nothing is
 * left, and for more than a day.
 */
export function estimateSecondsLeft(pace: Pace, total: number): number | undefined {
  const { elapsedMs, done, recentMs, recentDone } = pace;
  const isEarly = elapsedMs < MIN_ELAPSED_MS || done < total * MIN_SHARE;
  if (isEarly || recentDone === 0 || done >= total) return undefined;
  const seconds = ((total - done) * recentMs) / recentDone / 1_000;
  return seconds > MAX_SECONDS ? undefined : Math.max(1, seconds);
}

/** Formats the time left, rounded so that it neither flickers nor promises more than is known: "about 2 min left". */
export function timeLeftWords(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  const roundedTo5 = Math.round(seconds / 5) * 5;
  if (roundedTo5 < 60) return `about ${roundedTo5} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `about ${minutes} min left` : `about ${Math.round(seconds / 3_600)} h left`;
}
