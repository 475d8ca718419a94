import { setTimeout as sleep } from 'node:timers/promises';

/** The network, clock and chance of an HTTP client, so that tests need not wait. */
export type HttpTools = {
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves after `ms`. Rejects when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The real network, clock and chance. */
export const SYSTEM_TOOLS: HttpTools = {
  fetch: (input, init) => fetch(input, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
