import path from 'node:path';
import { createDirectoryStore } from './directory-store.js';
import { StoreError, type ObjectStore } from './object-store.js';
import { parseS3Address, type S3Defaults } from './s3-address.js';

/**
 * How to open a store. Aborting `signal` breaks off every request under way; a request to a server is repeated for
 * `patienceMs`, 45 seconds where absent.
 */
export type OpenTerms = {
  readonly s3?: S3Defaults;
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
};

/**
 * The store at an address: `file:PATH`, absolute or relative to the working directory, or `s3://bucket/prefix`.
 * @throws StoreError 'address' for any other text.
 */
export async function openStore(
  address: string,
  { s3 = {}, ...terms }: OpenTerms = {},
): Promise<ObjectStore> {
  if (address.startsWith('s3://')) {
    const at = parseS3Address(address, s3);
    const { createS3Store } = await import('./s3-store.js'); // the SDK takes longer to load than a directory to open
    return createS3Store({ text: address, at, ...terms });
  }
  const match = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/.exec(address);
  if (match?.[1] === undefined) {
    throw new StoreError(
      'address',
      `"${address}" is not a store address; write file:PATH, for example file:./data/store, or s3://bucket/prefix`,
    );
  }
  return createDirectoryStore(path.resolve(match[1]));
}
