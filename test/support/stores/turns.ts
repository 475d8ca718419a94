import type { ObjectStore } from '../../../infra/store/object-store.js';
import { interceptStore } from './intercept-store.js';

/** Lets several operators take turns, one operation at a time, in an order that `random` decides. */
export function createTurns(random: () => number): {
  /** Wraps an operator's store so that each operation waits for a turn. */
  readonly join: (store: ObjectStore) => ObjectStore;
  /** Waits for the caller's turn. */
  readonly wait: () => Promise<void>;
  /** Grants turns until all operators have ended. */
  readonly run: (operators: readonly Promise<unknown>[]) => Promise<void>;
} {
  const waiting: (() => void)[] = [];
  const wait = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return {
    wait,
    join: (store) =>
      interceptStore(store, async (_operation, run) => {
        await wait();
        return run();
      }),
    async run(operators) {
      const state = { done: false };
      const settled = Promise.allSettled(operators).then(() => (state.done = true));
      while (!state.done) {
        await new Promise((resolve) => setImmediate(resolve));
        waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
      }
      await settled;
    },
  };
}
