import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { withTimeLimit } from './time-limit.js';

/**
 * Returns the store with a time limit for each operation except listings. An operation that exceeds it fails as
 * 'unavailable', although a write may still take effect.
 */
export function createTimedStore(store: ObjectStore, timeMs: number): ObjectStore {
  const limited = <T>(work: Promise<T>): Promise<T> =>
    withTimeLimit(
      work,
      timeMs,
      () => new StoreError('unavailable', `${store.address} did not answer within ${timeMs} ms`),
    );
  return {
    address: store.address,
    get: (key) => limited(store.get(key)),
    head: (key) => limited(store.head(key)),
    putIfAbsent: (key, body, meta) => limited(store.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) => limited(store.compareAndSwap(key, body, expected, meta)),
    list: (prefix) => store.list(prefix),
    delete: (key) => limited(store.delete(key)),
  };
}
