import { sha256Hex } from '../../schemas/digest.js';
import { POINTER_KEY } from '../../schemas/paths.js';
import type { ObjectHead, ObjectStore } from '../../infra/store/object-store.js';
import { LONGEST_PUBLICATION_MS } from './collection-terms.js';
import type { CopyItem } from './copy-list.js';
import { readPointer } from './published-state.js';
import { isRetained, type ChainRelease } from './reachable-objects.js';
import { damaged } from './stored-json.js';
import { tellingWhere } from './telling-where.js';
import { putImmutable } from './write-artifact.js';

/** What became of an object of the target; `collected` when a collector has taken it from the source. */
export type CopyFate = 'created' | 'mended' | 'exists' | 'collected';

/** What became of an object, and how many bytes were written. */
export type CopiedObject = { readonly fate: CopyFate; readonly bytes: number };

/**
 * Brings one object to the target. Bytes are read from the source, and judged by their digest, only where the target
 * lacks them, has others, or could lose them to a collector.
 * @throws GeneratorError 'damaged' when the source lacks them or has others.
 */
export async function copyObject(from: ObjectStore, to: ObjectStore, item: CopyItem): Promise<CopiedObject> {
  const { key, sha256, meta } = item;
  for (;;) {
    const head = await to.head(key);
    const isRight = head !== undefined && isAsListed(head, item);
    if (isRight && !(item.exposed && isOld(head))) return { fate: 'exists', bytes: 0 };
    const body = await tellingWhere(from, () => readSource(from, item));
    if (body === undefined) return { fate: isRight ? 'exists' : 'collected', bytes: 0 };
    if (head === undefined || isAsListed(head, { sha256, bytes: body.length })) {
      const fate = await putImmutable(to, key, body, sha256, meta);
      return { fate, bytes: fate === 'created' ? body.length : 0 };
    }
    if ((await to.compareAndSwap(key, body, head.etag, meta)) !== 'conflict')
      return { fate: 'mended', bytes: body.length };
  }
}

/** Reads the bytes of an object; `undefined` when a collector has taken them with the release that lists them. */
async function readSource(
  from: ObjectStore,
  { key, sha256, listedBy }: CopyItem,
): Promise<Uint8Array | undefined> {
  const found = await from.get(key);
  if (found === undefined) {
    if (listedBy !== undefined && !(await isRetainedNow(from, listedBy))) return undefined;
    throw damaged(key, 'is missing');
  }
  if (sha256Hex(found.bytes) !== sha256) throw damaged(key, 'has other bytes than its digest says');
  return found.bytes;
}

/** As a collector judges it: releases may have been published since the copy began. */
async function isRetainedNow(from: ObjectStore, release: ChainRelease): Promise<boolean> {
  const [pointer, head] = await Promise.all([readPointer(from), from.head(POINTER_KEY)]);
  if (pointer === undefined || head === undefined) throw damaged(POINTER_KEY, 'is missing');
  return isRetained(release, pointer.value.sequence - release.record.sequence, head.answeredAtMs);
}

function isAsListed(head: ObjectHead, { sha256, bytes }: Pick<CopyItem, 'sha256' | 'bytes'>): boolean {
  return head.sha256 === sha256 && (bytes === undefined || head.sizeBytes === bytes);
}

function isOld({ answeredAtMs, modifiedAtMs }: ObjectHead): boolean {
  return answeredAtMs - modifiedAtMs > LONGEST_PUBLICATION_MS;
}
