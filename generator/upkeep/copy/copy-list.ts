import { objectKey, publicKey, releaseKey } from '../../../schemas/paths.js';
import type { ObjectMeta, ObjectStore } from '../../../infra/store/object-store.js';
import type { FileSize } from '../../state/disk-space.js';
import { RETAINED_RELEASES } from '../../state/gc-policy.js';
import { metaOf } from '../../state/stored-json.js';
import {
  isRetained,
  listedFilesOf,
  type NamedFile,
  readDayFiles,
  siteListOf,
  type StoredRelease,
} from '../../state/published-state.js';

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
