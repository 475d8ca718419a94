import { type ObjectStore, serverMembers } from './object-store.js';

/** Wraps a store so that aborting `signal` rejects all running and later operations with the abort's reason. */
export function createStoppableStore(store: ObjectStore, signal: AbortSignal): ObjectStore {
  const waiting = new Set<(reason: Error) => void>();
  const stop = (): void => {
    for (const reject of waiting) reject(signal.reason as Error); // callers abort with an Error
  };
  signal.addEventListener('abort', stop, { once: true });

  // Promise.race with one long-lived abort promise would keep every result in memory until the run ends.
  function guard<T>(work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      waiting.add(reject);
      const run = async (): Promise<T> => work(); // a synchronous error becomes a rejection
      run()
        .finally(() => waiting.delete(reject))
        .then(resolve, reject);
    });
  }
  return {
    address: store.address,
    get: async (key, maxBytes) => guard(() => store.get(key, maxBytes)),
    head: async (key) => guard(() => store.head(key)),
    putIfAbsent: async (key, body, meta) => guard(() => store.putIfAbsent(key, body, meta)),
    compareAndSwap: async (key, body, expected, meta) =>
      guard(() => store.compareAndSwap(key, body, expected, meta)),
    async *list(prefix) {
      const items = store.list(prefix)[Symbol.asyncIterator]();
      for (;;) {
        const next = await guard(() => items.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    delete: async (key) => guard(() => store.delete(key)),
    ...serverMembers(store),
  };
}
