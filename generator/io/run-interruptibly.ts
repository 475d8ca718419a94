import { setImmediate as turn } from 'node:timers/promises';
import type { Steps } from '../core/steps.js';

/** Longest time without a look at what else has happened. */
const BUSY_MS = 20;

/** Does the steps, and lets signals in between them. @throws the reason of `signal` once that is aborted. */
export async function runInterruptibly<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let sinceMs = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sinceMs < BUSY_MS) continue;
    await turn();
    signal?.throwIfAborted();
    sinceMs = performance.now();
  }
}
