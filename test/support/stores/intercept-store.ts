import type { ObjectStore } from '../../../infra/store/object-store.js';

/** An intercepted operation of a store. */
export type StoreOperation = { readonly name: keyof ObjectStore; readonly key: string };

/**
 * Wraps a store so that `around` runs each operation. It may delay the operation, record it, or throw before or after it,
 * as a crash would.
 */
export function interceptStore(
  store: ObjectStore,
  around: <T>(operation: StoreOperation, run: () => Promise<T>) => Promise<T>,
): ObjectStore {
  return {
    address: store.address,
    get: (key, maxBytes) => around({ name: 'get', key }, () => store.get(key, maxBytes)),
    head: (key) => around({ name: 'head', key }, () => store.head(key)),
    putIfAbsent: (key, body, meta) =>
      around({ name: 'putIfAbsent', key }, () => store.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) =>
      around({ name: 'compareAndSwap', key }, () => store.compareAndSwap(key, body, expected, meta)),
    async *list(prefix) {
      const found = await around({ name: 'list', key: prefix }, async () => {
        const items = [];
        for await (const item of store.list(prefix)) items.push(item);
        return items;
      });
      yield* found;
    },
    delete: (key) => around({ name: 'delete', key }, () => store.delete(key)),
    ...(store.now === undefined ? {} : { now: () => store.now?.() }),
  };
}
