import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { Steps } from '../core/steps.js';

/** Time limit for steps before other events, such as signals, are handled. */
const MAX_BUSY_MS = 20;

/** Runs the steps, and handles other events between them. @throws the reason of `signal` once it is aborted. */
export async function runInterruptibly<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let sinceMs = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sinceMs < MAX_BUSY_MS) continue;
    await yieldToEvents();
    signal?.throwIfAborted();
    sinceMs = performance.now();
  }
}
