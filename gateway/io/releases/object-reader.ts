import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createLanes } from '../timing/lanes.js';
import { createByteCache } from './byte-cache.js';
import { readVerified } from './read-verified.js';

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
  const cache = createByteCache(maxCachedBytes);
  const lanes = createLanes();
  let started = 0;

  async function load(key: string, sha256: string): Promise<Uint8Array> {
    try {
      return await readVerified(store, key, sha256);
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  return {
    read: (key, sha256) =>
      cache.get(sha256, () => {
        started += 1;
        return lanes.run(String(started % READS_AT_ONCE), () => load(key, sha256));
      }),
  };
}
