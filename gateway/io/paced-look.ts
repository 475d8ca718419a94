/** A look at something far away, made one at a time and not too often. Neither rejects: `look` deals with its failures. */
export type PacedLook = {
  /** Looks now; whoever asks while a look is under way waits for that one. */
  readonly now: () => Promise<void>;
  /** Waits for a look that begins after this call: the next one, whoever begins it, at most `pauseMs` after the last. */
  readonly next: () => Promise<void>;
};

/** What a paced look needs; `now` is in milliseconds. */
export type PacedLookTerms = {
  readonly look: () => Promise<void>;
  readonly pauseMs: number;
  readonly now: () => number;
};

/** All who wait for the same look. */
type Waiting = { readonly over: Promise<void>; readonly end: () => void };

/** Makes looks one at a time; those that are asked for by `next` come `pauseMs` apart. */
export function createPacedLook({ look, pauseMs, now }: PacedLookTerms): PacedLook {
  let beganMs = -Infinity;
  let running: Promise<void> | undefined;
  let waiting: Waiting | undefined;

  function begin(): Promise<void> {
    if (running !== undefined) return running;
    const served = waiting;
    waiting = undefined;
    beganMs = now();
    running = look().finally(() => {
      running = undefined;
      served?.end();
    });
    return running;
  }
  /** Begins the look that they wait for, unless another has begun it. */
  async function beginLater(those: Waiting): Promise<void> {
    while (waiting === those) {
      await running;
      const restMs = Math.min(pauseMs, beganMs + pauseMs - now()); // a clock may be set back
      if (restMs > 0) await sleep(restMs);
      if (waiting === those && running === undefined) void begin();
    }
  }
  return {
    now: begin,
    next() {
      if (waiting === undefined) {
        waiting = createWaiting();
        void beginLater(waiting);
      }
      return waiting.over;
    },
  };
}

function createWaiting(): Waiting {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { over, end };
}

/** Waits, without keeping the program alive. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
