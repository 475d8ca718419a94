import { sha256Hex } from '../../../schemas/digest.js';
import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';

/** Reads an object and verifies its digest. @throws StoreError when it is missing or its bytes have another digest. */
export async function readVerified(store: ObjectStore, key: string, sha256: string): Promise<Uint8Array> {
  const found = await store.get(key);
  if (found === undefined) throw new StoreError('unavailable', `${key} is missing`);
  if (sha256Hex(found.bytes) !== sha256) {
    throw new StoreError('unavailable', `${key} does not have the digest ${sha256}`);
  }
  return found.bytes;
}
