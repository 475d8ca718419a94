import pMap from 'p-map';
import { parseInstant } from '../../schemas/dates.js';
import { objectKey, releaseKey, PAGE_PATHS } from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { findFirstFault, findLinkFault } from '../core/verification/check-release.js';
import { RETENTION_MS, RETAINED_RELEASES } from './gc-policy.js';
import { readManifest, readRecord, type ReadPointer } from './published-state.js';
import { damaged } from './stored-json.js';

const CONCURRENCY = 16;

/** A release record, and its digest. */
export type StoredRelease = { readonly record: ReleaseRecord; readonly sha256: string };

/** A file that a release lists or a manifest names. */
export type NamedFile = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Media type; JSON if absent. */
  readonly type?: string;
};

/**
 * Reads all releases, from the one that the pointer names back to the first by their `previous`; newest first.
 * @throws GeneratorError 'damaged' if a record cannot be read, or is not the direct predecessor of the one after it, or if the last one is not a first release.
 */
export async function readReleases(
  store: ObjectStore,
  pointer: Pick<ReadPointer['value'], 'revision' | 'sha256'>,
): Promise<StoredRelease[]> {
  const releases: StoredRelease[] = [];
  let link: { readonly revision: string; readonly sha256: string } | null = pointer;
  while (link !== null) {
    const record: ReleaseRecord = await readRecord(store, link);
    const later = releases.at(-1)?.record;
    const fault = later && findLinkFault(record, later);
    if (fault !== undefined) throw damaged(releaseKey(link.revision, link.sha256), fault);
    releases.push({ record, sha256: link.sha256 });
    link = record.previous;
  }
  for (const { record, sha256 } of releases.slice(-1)) {
    const fault = findFirstFault(record);
    if (fault !== undefined) throw damaged(releaseKey(record.revision, sha256), fault);
  }
  return releases;
}

/** Returns the keys of release records, and of the lists of their sites' files, without which a record cannot be read. */
export function recordKeysOf(releases: readonly StoredRelease[]): Set<string> {
  return new Set(
    releases.flatMap(({ record, sha256 }) => [
      releaseKey(record.revision, sha256),
      ...siteListOf(record).map((list) => objectKey(list.sha256)),
    ]),
  );
}

/** Returns the list of the site's files, as the record lists it; empty if it names none. */
export function siteListOf({ public: listed }: ReleaseRecord): NamedFile[] {
  const entry = listed[PAGE_PATHS.siteFiles];
  return entry === undefined ? [] : [{ path: PAGE_PATHS.siteFiles, ...entry }];
}

/** Returns the files that a release record lists: public files, bundles and manifests. Day files are in the manifests. */
export function listedFilesOf(record: ReleaseRecord): (NamedFile & { readonly revision: string })[] {
  return [record.public, record.bundles, record.manifests].flatMap((section) =>
    Object.entries(section).map(([path, entry]) => ({ path, ...entry })),
  );
}

/**
 * Reads the day files that the manifests of these releases name, including superseded and withdrawn ones, by digest.
 * @throws GeneratorError 'damaged' if a manifest is missing, or does not match its digest or schema.
 */
export async function readDayFiles(
  store: ObjectStore,
  releases: readonly StoredRelease[],
): Promise<Map<string, NamedFile>> {
  const digests = releases.flatMap(({ record }) =>
    Object.values(record.manifests).map(({ sha256 }) => sha256),
  );
  const days = new Map<string, NamedFile>();
  await pMap(
    [...new Set(digests)],
    async (digest) => {
      const { dates } = await readManifest(store, digest);
      for (const entry of dates) {
        for (const { sha256, bytes: size } of [entry, ...entry.superseded]) {
          days.set(sha256, { path: entry.path, sha256, bytes: size });
        }
      }
    },
    { concurrency: CONCURRENCY },
  );
  return days;
}

/** Returns those of these releases, which are ordered from the newest, from which garbage collection deletes nothing. */
export function retainedReleases(releases: readonly StoredRelease[], nowMs: number): StoredRelease[] {
  return releases.filter((release, index) => isRetained(release, index, nowMs));
}

/** Returns whether garbage collection keeps everything in a release. `index` counts from the current release. */
export function isRetained({ record }: StoredRelease, index: number, nowMs: number): boolean {
  return index < RETAINED_RELEASES || nowMs - (parseInstant(record.published_at) ?? nowMs) <= RETENTION_MS;
}
