import type { HttpTools } from '../../../generator/sources/http-client.js';

/** Tools of an HTTP client that never wait: a sleep sets the clock forward. */
export type InstantTools = HttpTools & {
  /** Milliseconds of each sleep. */
  readonly slept: readonly number[];
};

/** Creates tools whose clock starts at `instant` and whose random numbers are all 0.5. */
export function createInstantTools(instant: string): InstantTools {
  let nowMs = Date.parse(instant);
  const slept: number[] = [];
  return {
    slept,
    fetch: (input, init) => fetch(input, init),
    now: () => nowMs,
    random: () => 0.5,
    sleep(ms, signal) {
      slept.push(ms);
      nowMs += ms;
      return signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
    },
  };
}
