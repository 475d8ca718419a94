import { type ObjectStore, serverMembers } from './object-store.js';

/** Number of operations on a store, by kind. Retries, and the pages of a list, are not counted. */
export type RequestCounts = { get: number; head: number; put: number; list: number; delete: number };

/** Bytes of bodies read and sent. A write counts as sent even if the object existed already. */
export type ByteCounts = { read: number; sent: number };

export function createRequestCounts(): RequestCounts {
  return { get: 0, head: 0, put: 0, list: 0, delete: 0 };
}

export function createByteCounts(): ByteCounts {
  return { read: 0, sent: 0 };
}

/**
 * Wraps a store so that each operation is counted in `counts` and its body bytes in `bytes`. Both kinds of conditional
 * write count as `put`; a listing counts once, however many pages it has.
 */
export function createCountingStore(
  store: ObjectStore,
  counts: RequestCounts,
  bytes: ByteCounts = createByteCounts(),
): ObjectStore {
  return {
    address: store.address,
    async get(key, maxBytes) {
      counts.get += 1;
      const found = await store.get(key, maxBytes);
      bytes.read += found?.bytes.length ?? 0;
      return found;
    },
    head(key) {
      counts.head += 1;
      return store.head(key);
    },
    putIfAbsent(key, body, meta) {
      counts.put += 1;
      bytes.sent += body.length;
      return store.putIfAbsent(key, body, meta);
    },
    compareAndSwap(key, body, expected, meta) {
      counts.put += 1;
      bytes.sent += body.length;
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
    ...serverMembers(store),
  };
}
