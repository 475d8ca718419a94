import type { ObjectStore } from '../../../infra/store/object-store.js';
import { interceptStore } from './intercept-store.js';

/** Thrown by a store that stops. */
export class StoppedError extends Error {}

/**
 * Wraps a store so that it stops after operation number `at`, as in a crash: this operation is done, but not answered, and
 * every later one throws StoppedError. A stop before an operation leaves the same store as a stop after the one before it.
 * `count` returns the number of operations so far.
 */
export function createStoppingStore(
  store: ObjectStore,
  at: number,
): { readonly store: ObjectStore; readonly count: () => number } {
  let begun = 0;
  const stopping = interceptStore(store, async (_operation, run) => {
    begun += 1;
    if (begun > at) throw new StoppedError();
    if (begun < at) return run();
    await run();
    throw new StoppedError();
  });
  return { store: stopping, count: () => begun };
}
