/** A refresh that runs one at a time (single-flight) and not too often. Its methods never reject. */
export type PacedRefresh = {
  /** Starts a refresh now, or joins the one that is running. */
  readonly refreshNow: () => Promise<void>;
  /**
   * Waits for the first refresh that starts after this call. Unless `refreshNow` starts one earlier, it starts `pauseMs` after
   * the start of the last one. All callers that wait share it.
   */
  readonly refreshNext: () => Promise<void>;
};

/** Options for `createPacedRefresh`; times are in milliseconds. `refresh` must not reject. */
type PacedRefreshOptions = {
  readonly refresh: () => Promise<void>;
  readonly pauseMs: number;
  readonly now: () => number;
};

/** The callers that wait for the same refresh. */
type Waiters = { readonly done: Promise<void>; readonly resolve: () => void };

/** Creates a paced refresh; nothing runs yet. */
export function createPacedRefresh({ refresh, pauseMs, now }: PacedRefreshOptions): PacedRefresh {
  let startedMs = -Infinity;
  let running: Promise<void> | undefined;
  let waiting: Waiters | undefined;

  function start(): Promise<void> {
    if (running !== undefined) return running;
    const served = waiting;
    waiting = undefined;
    startedMs = now();
    running = refresh().finally(() => {
      running = undefined;
      served?.resolve();
    });
    return running;
  }
  /** Starts the refresh that these callers wait for, unless `refreshNow` has started it already. */
  async function startLater(waiters: Waiters): Promise<void> {
    await running;
    const restMs = Math.min(pauseMs, startedMs + pauseMs - now()); // at most a pause, even if the clock was set back
    if (restMs > 0) await sleep(restMs);
    if (waiting === waiters) void start();
  }
  return {
    refreshNow: start,
    refreshNext() {
      if (waiting === undefined) {
        waiting = createWaiters();
        void startLater(waiting);
      }
      return waiting.done;
    },
  };
}

function createWaiters(): Waiters {
  let resolve = (): void => undefined;
  const done = new Promise<void>((settle) => (resolve = settle));
  return { done, resolve };
}

/** Waits without keeping the process alive. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
