/** The clock of a server, known from the `Date` of its responses. */
type ServerClock = {
  /** Reads the `Date` of a response; ignores one that is absent or not a date. */
  readonly note: (date: string | undefined) => void;
  /** Returns the server's time in milliseconds since the epoch; `undefined` before a response with a `Date`. */
  readonly now: () => number | undefined;
};

/** Creates a clock that continues from the latest `Date`. `elapsedMs` returns milliseconds from any origin and never goes back. */
export function createServerClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let offsetMs: number | undefined;
  return {
    note(date) {
      const serverMs = Date.parse(date ?? '');
      if (!Number.isNaN(serverMs)) offsetMs = serverMs - elapsedMs();
    },
    now: () => (offsetMs === undefined ? undefined : offsetMs + elapsedMs()),
  };
}
