import {
  ALIASES_KEY,
  objectKey,
  POINTER_KEY,
  publicKey,
  releaseKey,
  RELEASES_PREFIX,
} from '../../../schemas/paths.js';
import type { ObjectHead, ObjectMeta, ObjectStore } from '../../../infra/store/object-store.js';
import { isKey } from '../../../infra/store/object-key.js';
import type { FileSize } from '../../state/disk-space.js';
import { RENEWAL_AGE_MS, RETAINED_RELEASES } from '../../state/gc-policy.js';
import {
  assertDigest,
  damaged,
  metaOf,
  putImmutable,
  readStoredJson,
  withStoreAddress,
} from '../../state/stored-json.js';
import {
  isRetained,
  listedFilesOf,
  type NamedFile,
  readAliasSequence,
  readDayFiles,
  readPointer,
  type ReadPointer,
  recordKeysOf,
  siteListOf,
  type StoredRelease,
} from '../../state/published-state.js';
import type { Pointer } from '../../../schemas/types.generated.js';
import { GeneratorError } from '../../core/generator-error.js';
import { listBounded } from '../../state/bounded-list.js';
import { isStore } from '../../state/store-mark.js';
import { retryWrite } from '../../state/retry-write.js';
import { maxBytesOf } from '../../state/read-limits.js';

/** Estimated size of a release record, whose real size no file lists. */
const RECORD_BYTES = 32_768;

/** An object that a copy of a store must contain. */
export type CopyItem = {
  readonly key: string;
  readonly sha256: string;
  /** Size as the release lists it; absent for release records. */
  readonly bytes?: number;
  readonly meta: ObjectMeta;
  /** The newest release that lists the file; absent for day files and records, which garbage collection keeps. */
  readonly listedBy?: StoredRelease;
  /** True if garbage collection at the target could delete the object although the copied release needs it. */
  readonly isExposed: boolean;
};

/** The objects that a copy of a release must contain. Records are copied last, oldest first. */
export type CopyList = { readonly files: readonly CopyItem[]; readonly records: readonly CopyItem[] };

/** Options for `listCopyItems`. */
type CopyListOptions = {
  /** The releases from the one to copy back to the first. */
  readonly releases: readonly StoredRelease[];
  /** Index in `releases` of the release that the target's pointer names; -1 if it has no pointer. */
  readonly targetIndex: number;
  /** Current time by the clock of the source. */
  readonly nowMs: number;
  /** True to omit the files that garbage collection would delete. */
  readonly isPruned: boolean;
};

/**
 * Lists every object that a release reaches: its record and those before it, the files that they list (`isPruned`: only those
 * that garbage collection keeps), and the day files that its manifests name.
 * @throws GeneratorError 'damaged' if a manifest cannot be read.
 */
export async function listCopyItems(from: ObjectStore, options: CopyListOptions): Promise<CopyList> {
  const { releases, targetIndex, nowMs, isPruned } = options;
  const protectedDigests =
    targetIndex < 0 ? new Set<string>() : await listProtectedDigests(from, releases.slice(targetIndex));
  const items = new Map<string, CopyItem>();
  releases.forEach((release, i) => {
    const retained = isRetained(release, i, nowMs);
    for (const file of isPruned && !retained ? [] : listedFilesOf(release.record)) {
      if (!items.has(file.sha256))
        items.set(file.sha256, {
          ...toItem(file, retained && !protectedDigests.has(file.sha256)),
          listedBy: release,
        });
    }
    for (const list of siteListOf(release.record))
      // needed to read the record, so that garbage collection keeps it
      items.set(list.sha256, toItem(list, targetIndex < 0 || i < targetIndex));
  });
  const [current] = releases;
  if (current !== undefined) {
    for (const [digest, file] of await readDayFiles(from, [current]))
      items.set(digest, toItem(file, !protectedDigests.has(digest)));
  }
  const records = releases.map((release, i): CopyItem => {
    const key = releaseKey(release.record.revision, release.sha256);
    return { key, sha256: release.sha256, meta: metaOf(key), isExposed: targetIndex < 0 || i < targetIndex };
  });
  return { files: [...items.values()], records: records.reverse() };
}

/** Returns the sizes of everything that a copy writes, public copies of the release `current` included. */
export function sizesOf({ files, records }: CopyList, current: StoredRelease | undefined): FileSize[] {
  const copies = Object.entries(current?.record.public ?? {});
  return [
    ...[...files, ...records].map(({ key, bytes = RECORD_BYTES }) => ({ key, bytes })),
    ...copies.map(([path, { bytes }]) => ({ key: publicKey(path), bytes })),
  ];
}

/** Returns the digests that garbage collection keeps, at any time, while the pointer names the first of these releases. */
async function listProtectedDigests(
  from: ObjectStore,
  releases: readonly StoredRelease[],
): Promise<Set<string>> {
  const protectedDigests = new Set((await readDayFiles(from, releases.slice(0, 1))).keys());
  for (const { record } of releases.slice(0, RETAINED_RELEASES))
    for (const { sha256 } of listedFilesOf(record)) protectedDigests.add(sha256);
  return protectedDigests;
}

function toItem({ path, sha256, bytes, type }: NamedFile, isExposed: boolean): CopyItem {
  const key = objectKey(sha256);
  return { key, sha256, bytes, meta: metaOf(key, type, path), isExposed };
}

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
export function copyObject(from: ObjectStore, to: ObjectStore, item: CopyItem): Promise<CopiedObject> {
  const { key, sha256, meta } = item;
  return retryWrite(to, key, async (): Promise<CopiedObject | undefined> => {
    const head = await to.head(key);
    const isRight = head !== undefined && isAsListed(head, item);
    if (isRight && !(item.isExposed && isOld(head))) return { outcome: 'exists', bytes: 0 };
    const body = await withStoreAddress(from, () => readSource(from, item));
    if (body === undefined) return { outcome: isRight ? 'exists' : 'skipped', bytes: 0 };
    if (head === undefined || isAsListed(head, { sha256, bytes: body.length })) {
      const outcome = await putImmutable(to, key, body, sha256, meta);
      return { outcome, bytes: outcome === 'created' ? body.length : 0 };
    }
    const swapped = await to.compareAndSwap(key, body, head.etag, meta);
    return swapped === 'conflict' ? undefined : { outcome: 'replaced', bytes: body.length };
  });
}

/** Reads an object of the source; `undefined` if garbage collection has deleted it with the release that lists it. */
async function readSource(
  from: ObjectStore,
  { key, sha256, bytes, listedBy }: CopyItem,
): Promise<Uint8Array | undefined> {
  const found = await from.get(key, (bytes ?? maxBytesOf('release-record')) + 1);
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

/**
 * Reads the pointer of the target; `undefined` for an empty address, after an interrupted copy, and for a store that
 * lost its pointer.
 * @throws GeneratorError 'usage' if the address contains anything other than a store, 'damaged' if its pointer or
 * aliases.json is not valid.
 */
export function readTargetPointer(to: ObjectStore): Promise<ReadPointer | undefined> {
  return withStoreAddress(to, async () => {
    if (!(await isStore(to))) return undefined;
    await readAliasSequence(to); // fails now if aliases.json is damaged, not in the refresh after the commit
    return readStoredJson(to, POINTER_KEY, 'pointer');
  });
}

/**
 * Returns the index in the source's releases of the release that the target's pointer names; -1 if it has no pointer.
 * @throws GeneratorError 'usage' if the target contains a release that the source does not have.
 */
export async function indexOfTarget(
  from: ObjectStore,
  to: ObjectStore,
  releases: readonly StoredRelease[],
  targetPointer: Pointer | undefined,
): Promise<number> {
  if (targetPointer === undefined) {
    await assertOnlySourceRecords(from, to, releases);
    await assertAliasesNotAhead(from, to, releases);
    return -1;
  }
  const index = releases.findIndex(({ sha256 }) => sha256 === targetPointer.sha256);
  if (index < 0) {
    const { record } = releases[0] ?? {};
    throw refused(
      from,
      to,
      `release ${targetPointer.revision} (sequence ${targetPointer.sequence}, ${targetPointer.sha256})`,
      `, whose current release is ${record?.revision ?? ''} (sequence ${record?.sequence ?? 0})`,
    );
  }
  return index;
}

/** Passes if the target contains only records of the source, as after an interrupted copy. */
async function assertOnlySourceRecords(
  from: ObjectStore,
  to: ObjectStore,
  releases: readonly StoredRelease[],
): Promise<void> {
  const sourceKeys = recordKeysOf(releases);
  for await (const { key } of listBounded(to, RELEASES_PREFIX)) {
    if (!sourceKeys.has(key) && (!isKey(key) || (await from.head(key)) === undefined))
      throw refused(from, to, key);
  }
}

/** Passes unless the target, which may have lost its pointer, has public copies of a release that the source lacks. */
async function assertAliasesNotAhead(
  from: ObjectStore,
  to: ObjectStore,
  [current]: readonly StoredRelease[],
): Promise<void> {
  const aliases = await readStoredJson(to, ALIASES_KEY, 'aliases');
  if (aliases === undefined || aliases.value.sequence <= (current?.record.sequence ?? 0)) return;
  throw refused(from, to, `public copies of sequence ${aliases.value.sequence}`);
}

function refused(from: ObjectStore, to: ObjectStore, what: string, more = ''): GeneratorError {
  return new GeneratorError(
    'usage',
    `${to.address} contains ${what}, which is not in the history of ${from.address}${more}. Nothing was written. Choose another target.`,
  );
}
