import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readVerified } from './read-verified.js';
import { createLanes } from '../timing/lanes.js';

/** Reads objects and verifies their digests. */
export type ObjectReader = {
  /** Returns the bytes of an object. @throws StoreError when it is missing or has another digest. */
  readonly read: (key: string, sha256: string) => Promise<Uint8Array>;
};

/** Options for `createObjectReader`. */
type ObjectReaderOptions = {
  /** Receives each error before it is thrown. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of bytes in the cache; 64 MiB by default. */
  readonly maxCachedBytes?: number;
};

const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Number of objects that are read at the same time. */
const READS_AT_ONCE = 2;

/**
 * Creates a reader of a store, with a cache of verified bytes. However many requests there are, it keeps at most
 * `maxCachedBytes`, and each object is read once at a time and only a few objects at the same time.
 */
export function createObjectReader(
  store: ObjectStore,
  { onError, maxCachedBytes = MAX_CACHED_BYTES }: ObjectReaderOptions,
): ObjectReader {
  const cached = new LRUCache<string, Uint8Array>({
    maxSize: maxCachedBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  });
  const reads = new Map<string, Promise<Uint8Array>>();
  const lanes = createLanes();
  let started = 0;

  async function load(key: string, sha256: string): Promise<Uint8Array> {
    try {
      const bytes = await readVerified(store, key, sha256);
      cached.set(sha256, bytes);
      return bytes;
    } catch (error) {
      onError(error);
      throw error;
    } finally {
      reads.delete(sha256);
    }
  }

  function enqueue(key: string, sha256: string): Promise<Uint8Array> {
    started += 1;
    const read = lanes.run(String(started % READS_AT_ONCE), () => load(key, sha256));
    reads.set(sha256, read);
    return read;
  }

  return {
    async read(key, sha256) {
      return cached.get(sha256) ?? reads.get(sha256) ?? enqueue(key, sha256);
    },
  };
}
