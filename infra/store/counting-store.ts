import type { ObjectStore } from './object-store.js';

/** How often each operation of a store was asked for. */
export type RequestCounts = { get: number; head: number; put: number; list: number; delete: number };

/** No request yet. */
export function createRequestCounts(): RequestCounts {
  return { get: 0, head: 0, put: 0, list: 0, delete: 0 };
}

/** The store, but each operation is counted in `counts`; conditional writes of either kind count as `put`. */
export function createCountingStore(store: ObjectStore, counts: RequestCounts): ObjectStore {
  return {
    address: store.address,
    get(key) {
      counts.get += 1;
      return store.get(key);
    },
    head(key) {
      counts.head += 1;
      return store.head(key);
    },
    putIfAbsent(key, body, meta) {
      counts.put += 1;
      return store.putIfAbsent(key, body, meta);
    },
    compareAndSwap(key, body, expected, meta) {
      counts.put += 1;
      return store.compareAndSwap(key, body, expected, meta);
    },
    list(prefix) {
      counts.list += 1;
      return store.list(prefix);
    },
    delete(key) {
      counts.delete += 1;
      return store.delete(key);
    },
  };
}
