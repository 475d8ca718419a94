import { parseS3Address, type S3Address, type S3Defaults } from '../../../schemas/store-address.js';
import { StoreError } from '../object-store.js';

/** Parses the address of a store in S3. @throws StoreError 'address' for any other text. */
export function readS3Address(text: string, defaults?: S3Defaults): S3Address {
  const address = parseS3Address(text, defaults);
  if (typeof address === 'string') throw new StoreError('address', address);
  return address;
}
