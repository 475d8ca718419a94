import type { HttpTools } from './http-tools.js';

/** The most requests that start within any period of `perMs`. */
export type Pace = { readonly requests: number; readonly perMs: number };

/** Creates a function that resolves when the next request may start. Each call takes a turn. */
export function createPacer(
  { requests, perMs }: Pace,
  { now, sleep }: Pick<HttpTools, 'now' | 'sleep'>,
): (signal: AbortSignal) => Promise<void> {
  const starts: number[] = []; // of the last requests
  return async (signal) => {
    const nowMs = now();
    const oldest = starts.length < requests ? undefined : starts.shift();
    const startMs = oldest === undefined ? nowMs : Math.max(nowMs, oldest + perMs);
    starts.push(startMs);
    if (startMs > nowMs) await sleep(startMs - nowMs, signal);
  };
}
