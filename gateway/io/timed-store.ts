import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { withinTime } from './within-time.js';

/**
 * The store, but nobody waits longer than `timeMs` for it: then the operation fails as 'unavailable', and what it was to
 * write may be written all the same. A listing takes the time that it takes.
 */
export function createTimedStore(store: ObjectStore, timeMs: number): ObjectStore {
  async function inTime<T>(work: Promise<T>): Promise<T> {
    if (await withinTime(work, timeMs)) return work;
    work.catch(() => undefined); // nobody waits for it any more
    throw new StoreError('unavailable', `${store.address} did not answer within ${timeMs} ms`);
  }
  return {
    address: store.address,
    get: (key) => inTime(store.get(key)),
    head: (key) => inTime(store.head(key)),
    putIfAbsent: (key, body, meta) => inTime(store.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) => inTime(store.compareAndSwap(key, body, expected, meta)),
    list: (prefix) => store.list(prefix),
    delete: (key) => inTime(store.delete(key)),
  };
}
