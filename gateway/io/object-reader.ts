import type { ObjectStore } from '../../infra/store/object-store.js';
import { readVerified } from './releases.js';

/** Reads objects whose bytes must have a digest. */
export type ObjectReader = {
  /** @throws StoreError when the object is missing or has another digest. */
  readonly read: (key: string, sha256: string) => Promise<Uint8Array>;
};

/** Reads objects of a store, and tells of each that could not be read. */
export function createObjectReader(store: ObjectStore, onError: (error: unknown) => void): ObjectReader {
  return {
    async read(key, sha256) {
      try {
        return await readVerified(store, key, sha256);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}
