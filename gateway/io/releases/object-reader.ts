import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readVerified } from './read-verified.js';

/** Reads objects and verifies their digests. */
export type ObjectReader = {
  /** Returns the bytes of an object. @throws StoreError when it is missing or has another digest. */
  readonly read: (key: string, sha256: string) => Promise<Uint8Array>;
};

/** Creates a reader of a store; `onError` receives each error before it is thrown. */
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
