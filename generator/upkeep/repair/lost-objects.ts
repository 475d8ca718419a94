import pMap from 'p-map';
import { sha256Hex } from '../../../schemas/digest.js';
import { parseObjectKey, parseReleaseKey } from '../../../schemas/paths.js';
import type { ObjectMeta, ObjectStore } from '../../../infra/store/object-store.js';
import type { StoreFault } from '../../core/store-fault.js';

const CONCURRENCY = 32;

/** Keys of missing and damaged objects, by the digest of the right bytes. */
export type LostObjects = ReadonlyMap<string, string>;

/** Returns the artifacts and release records among the faults that are missing or do not match their digest. */
export async function findLostObjects(
  store: ObjectStore,
  faults: readonly StoreFault[],
): Promise<LostObjects> {
  const lost = new Map<string, string>();
  const keys = [...new Set(faults.map(({ key }) => key))];
  await pMap(
    keys,
    async (key) => {
      const sha256 = digestOfKey(key);
      if (sha256 === undefined) return;
      const found = await store.get(key);
      if (found === undefined || sha256Hex(found.bytes) !== sha256) lost.set(sha256, key);
    },
    { concurrency: CONCURRENCY },
  );
  return lost;
}

/** Returns the digest in the key of an artifact or release record. */
function digestOfKey(key: string): string | undefined {
  return parseObjectKey(key) ?? parseReleaseKey(key)?.sha256;
}

/**
 * Restores a missing or damaged object. Returns whether it was written; `false` if it is intact or another process has written it meanwhile.
 * @throws Error if `body` does not have the digest in the key.
 */
export async function restoreObject(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  meta: ObjectMeta,
): Promise<boolean> {
  const sha256 = digestOfKey(key);
  if (sha256Hex(body) !== sha256) throw new Error(`${key}: the bytes do not have this digest`);
  const found = await store.get(key);
  if (found === undefined) return (await store.putIfAbsent(key, body, meta)) === 'created';
  if (sha256Hex(found.bytes) === sha256) return false;
  return (await store.compareAndSwap(key, body, found.etag, meta)) !== 'conflict';
}
