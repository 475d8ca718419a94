import { setTimeout as sleep } from 'node:timers/promises';

/** The clock and chance of an engine's client, so that tests need not wait. */
export type EngineTools = {
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves after `ms`. Rejects when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The real clock and chance. */
export const SYSTEM_TOOLS: EngineTools = {
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Returns the wait before a retry: exponential backoff with full jitter. `retries` counts the earlier ones. */
export function backoffMs(retries: number, { random }: EngineTools): number {
  return random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** retries);
}

/** Returns the wait before the next question whether a query has ended. `polls` counts the earlier ones. */
export function pollMs(polls: number): number {
  return Math.min(MAX_POLL_MS, POLL_MS * 1.5 ** polls);
}

const BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 20_000;
const POLL_MS = 100;
const MAX_POLL_MS = 5_000;
