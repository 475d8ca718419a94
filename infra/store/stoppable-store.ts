import type { ObjectStore } from './object-store.js';

/** The store, but once `signal` is aborted each operation under way and each later one rejects with its reason. */
export function createStoppableStore(store: ObjectStore, signal: AbortSignal): ObjectStore {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }); // an abort's reason
  });
  stopped.catch(() => undefined); // a run may end before anything waits for it

  function guard<T>(work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return Promise.race([work(), stopped]);
  }
  return {
    address: store.address,
    get: async (key) => guard(() => store.get(key)),
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
  };
}
