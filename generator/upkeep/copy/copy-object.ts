import { POINTER_KEY } from '../../../schemas/paths.js';
import type { ObjectHead, ObjectStore } from '../../../infra/store/object-store.js';
import { RENEWAL_AGE_MS } from '../../state/gc-policy.js';
import { isRetained, readPointer, type StoredRelease } from '../../state/published-state.js';
import { assertDigest, damaged, putImmutable, withStoreAddress } from '../../state/stored-json.js';
import type { CopyItem } from './copy-list.js';

/** Result of copying one object. `skipped`: garbage collection has deleted it at the source. `bytes`: number written. */
type CopiedObject = {
  readonly outcome: 'created' | 'replaced' | 'exists' | 'skipped';
  readonly bytes: number;
};

/**
 * Copies one object to the target. It is read from the source, and compared with its digest, only if the target lacks
 * it, has other bytes, or might lose it to garbage collection.
 * @throws GeneratorError 'damaged' if the source lacks the object, or has other bytes or another size.
 */
export async function copyObject(from: ObjectStore, to: ObjectStore, item: CopyItem): Promise<CopiedObject> {
  const { key, sha256, meta } = item;
  for (;;) {
    const head = await to.head(key);
    const isRight = head !== undefined && isAsListed(head, item);
    if (isRight && !(item.isExposed && isOld(head))) return { outcome: 'exists', bytes: 0 };
    const body = await withStoreAddress(from, () => readSource(from, item));
    if (body === undefined) return { outcome: isRight ? 'exists' : 'skipped', bytes: 0 };
    if (head === undefined || isAsListed(head, { sha256, bytes: body.length })) {
      const outcome = await putImmutable(to, key, body, sha256, meta);
      return { outcome, bytes: outcome === 'created' ? body.length : 0 };
    }
    if ((await to.compareAndSwap(key, body, head.etag, meta)) !== 'conflict')
      return { outcome: 'replaced', bytes: body.length };
  }
}

/** Reads an object of the source; `undefined` if garbage collection has deleted it with the release that lists it. */
async function readSource(
  from: ObjectStore,
  { key, sha256, bytes, listedBy }: CopyItem,
): Promise<Uint8Array | undefined> {
  const found = await from.get(key);
  if (found === undefined && listedBy !== undefined && !(await isRetainedNow(from, listedBy)))
    return undefined;
  const body = assertDigest(key, sha256, found?.bytes);
  if (bytes !== undefined && bytes !== body.length)
    throw damaged(key, `has ${body.length} bytes, not the ${bytes} listed`);
  return body;
}

/** Decides as garbage collection does: releases may have been published since the copy began. */
async function isRetainedNow(from: ObjectStore, release: StoredRelease): Promise<boolean> {
  const [pointer, head] = await Promise.all([readPointer(from), from.head(POINTER_KEY)]);
  if (pointer === undefined || head === undefined) throw damaged(POINTER_KEY, 'is missing');
  return isRetained(release, pointer.value.sequence - release.record.sequence, head.answeredAtMs);
}

function isAsListed(head: ObjectHead, { sha256, bytes }: Pick<CopyItem, 'sha256' | 'bytes'>): boolean {
  return head.sha256 === sha256 && (bytes === undefined || head.sizeBytes === bytes);
}

function isOld({ answeredAtMs, modifiedAtMs }: ObjectHead): boolean {
  return answeredAtMs - modifiedAtMs > RENEWAL_AGE_MS;
}
