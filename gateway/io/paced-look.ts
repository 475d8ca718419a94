/** A look at something far away, made one at a time and not too often. Neither rejects: `look` deals with its failures. */
export type PacedLook = {
  /** Looks now; whoever asks while a look is under way waits for that one. */
  readonly now: () => Promise<void>;
  /** Looks, but begins after this call and `pauseMs` after the last beginning; all who wait share one look. */
  readonly next: () => Promise<void>;
};

/** What a paced look needs; `now` is in milliseconds. */
export type PacedLookTerms = {
  readonly look: () => Promise<void>;
  readonly pauseMs: number;
  readonly now: () => number;
};

/** Makes looks one at a time and `pauseMs` apart. */
export function createPacedLook({ look, pauseMs, now }: PacedLookTerms): PacedLook {
  let beganMs = -Infinity;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  function begin(): Promise<void> {
    if (running !== undefined) return running;
    beganMs = now();
    running = look().finally(() => (running = undefined));
    return running;
  }
  async function beginLater(): Promise<void> {
    let seenMs: number;
    do {
      await running;
      seenMs = beganMs;
      const restMs = Math.min(pauseMs, beganMs + pauseMs - now()); // a clock may be set back
      await sleep(Math.max(0, restMs));
    } while (running !== undefined || beganMs !== seenMs); // a look began meanwhile, before the last who wait
    waiting = undefined;
    await begin();
  }
  return {
    now: begin,
    next: () => (waiting ??= beginLater()),
  };
}

/** Waits, without keeping the program alive. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
