import { sha256Hex } from '../../../schemas/digest.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

/** Wraps a store so that writes succeed as they would, but nothing is written. Reads do not see these writes. */
export function createDryRunStore(store: ObjectStore): ObjectStore {
  return {
    address: store.address,
    get: (key) => store.get(key),
    head: (key) => store.head(key),
    putIfAbsent: async (key) => ((await store.head(key)) === undefined ? 'created' : 'exists'),
    compareAndSwap: async (key, body, expected) =>
      ((await store.head(key))?.etag ?? null) === expected ? `"${sha256Hex(body)}"` : 'conflict',
    list: (prefix) => store.list(prefix),
    delete: () => Promise.resolve(),
  };
}
