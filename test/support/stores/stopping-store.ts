import type { ObjectStore } from '../../../infra/store/object-store.js';
import { interceptStore } from './intercept-store.js';

/** Thrown by a store that stops. */
export class StoppedError extends Error {}

/**
 * Wraps a store so that it stops before or after operation number `at`, as in a crash: every later operation throws
 * StoppedError. `count` returns the number of operations so far.
 */
export function createStoppingStore(
  store: ObjectStore,
  at: number,
  when: 'before' | 'after',
): { readonly store: ObjectStore; readonly count: () => number } {
  let begun = 0;
  let stopped = false;
  const stopping = interceptStore(store, async (_operation, run) => {
    begun += 1;
    const last = begun === at;
    if (stopped || (last && when === 'before')) {
      stopped = true;
      throw new StoppedError();
    }
    const result = await run();
    if (last) {
      stopped = true;
      throw new StoppedError();
    }
    return result;
  });
  return { store: stopping, count: () => begun };
}
