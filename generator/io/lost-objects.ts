import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import { parseObjectKey, parseReleaseKey } from '../../schemas/paths.js';
import type { ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import type { StoreFault } from '../core/verification/fault.js';

const CONCURRENCY = 32;

/** Keys whose bytes are missing or damaged, by the digest that the right bytes have. */
export type LostObjects = ReadonlyMap<string, string>;

/** The artifacts and release records among the faults whose bytes are not of the digest in their key. */
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

/** The digest that a key of an artifact or release record names. */
function digestOfKey(key: string): string | undefined {
  return parseObjectKey(key) ?? parseReleaseKey(key)?.sha256;
}

/**
 * Puts `body` under a key that names its digest, in place of nothing or of damaged bytes; resolves whether it did.
 * @throws Error for bytes of another digest: they are never put.
 */
export async function putBack(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  meta: ObjectMeta,
): Promise<boolean> {
  const sha256 = digestOfKey(key);
  if (sha256Hex(body) !== sha256) throw new Error(`${key}: its digest is not that of the bytes`);
  const found = await store.get(key);
  if (found === undefined) return (await store.putIfAbsent(key, body, meta)) === 'created';
  if (sha256Hex(found.bytes) === sha256) return false;
  return (await store.compareAndSwap(key, body, found.etag, meta)) !== 'conflict';
}
