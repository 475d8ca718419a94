import path from 'node:path';
import { createDirectoryStore } from './directory-store.js';
import { StoreError, type ObjectStore } from './object-store.js';

/**
 * The store at an address: `file:PATH`, absolute or relative to the working directory.
 * @throws StoreError 'address' for any other text.
 */
export function openStore(address: string): ObjectStore {
  const match = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/.exec(address);
  if (match?.[1] === undefined) {
    throw new StoreError(
      'address',
      `"${address}" is not a store address; write file:PATH, for example file:./data/store`,
    );
  }
  return createDirectoryStore(path.resolve(match[1]));
}
