import { directoryOf } from './directory/directory-address.js';
import { createDirectoryStore } from './directory/directory-store.js';
import { StoreError, type ObjectStore } from './object-store.js';
import type { S3Defaults } from '../../schemas/store-address.js';
import { readS3Address } from './s3/s3-address.js';

/**
 * Options for `openStore`. Aborting `signal` cancels all running requests. A failed request to a server is retried for at
 * most `retryPeriodMs`, by default 45 seconds. With `isPrivate`, only the owner can read what is created in a directory.
 */
export type OpenOptions = {
  readonly s3?: S3Defaults;
  readonly signal?: AbortSignal;
  readonly retryPeriodMs?: number;
  readonly isPrivate?: boolean;
};

/**
 * Opens the store at an address: `file:PATH`, absolute or relative to the working directory, or `s3://bucket/prefix`,
 * whose prefix can be absent, with settings such as `?endpoint=URL`.
 * @throws StoreError 'address' for any other text.
 */
export async function openStore(
  address: string,
  { s3 = {}, isPrivate = false, ...options }: OpenOptions = {},
): Promise<ObjectStore> {
  if (address.startsWith('s3://')) {
    const location = readS3Address(address, s3);
    const { createS3Store } = await import('./s3/s3-store.js'); // loading the SDK takes longer than opening a directory
    return createS3Store({ address, location, ...options });
  }
  const directory = directoryOf(address);
  if (directory === undefined) {
    throw new StoreError(
      'address',
      `"${address}" is not a store address. Use file:PATH, for example file:./data/store, or s3://bucket/prefix.`,
    );
  }
  return createDirectoryStore(directory, { isPrivate });
}
