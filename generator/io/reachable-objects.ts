import pMap from 'p-map';
import { parseInstant } from '../../schemas/dates.js';
import { objectKey, releaseKey } from '../../schemas/paths.js';
import type { Manifest, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { RETAINED_MS, RETAINED_RELEASES } from './collection-terms.js';
import { readRecord, type ReadPointer } from './published-state.js';
import { readArtifact } from './stored-json.js';

const CONCURRENCY = 16;

/** A release of the chain, with the digest that names it. */
export type ChainRelease = { readonly record: ReleaseRecord; readonly sha256: string };

/** A file that a release lists or a manifest names. */
export type NamedFile = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Media type; that of JSON where absent. */
  readonly type?: string;
};

/** Follows `previous` from the release that the pointer names to the first one; newest first. */
export async function readReleaseChain(
  store: ObjectStore,
  pointer: Pick<ReadPointer['value'], 'revision' | 'sha256'>,
): Promise<ChainRelease[]> {
  const chain: ChainRelease[] = [];
  let link: { readonly revision: string; readonly sha256: string } | null = pointer;
  while (link !== null) {
    const record: ReleaseRecord = await readRecord(store, link);
    chain.push({ record, sha256: link.sha256 });
    link = record.previous;
  }
  return chain;
}

/** The keys of the records of a chain. */
export function recordKeysOf(chain: readonly ChainRelease[]): Set<string> {
  return new Set(chain.map(({ record, sha256 }) => releaseKey(record.revision, sha256)));
}

/** The files that a release lists itself: public files, bundles and manifests. */
export function listedFilesOf(record: ReleaseRecord): NamedFile[] {
  return [record.public, record.bundles, record.manifests].flatMap((section) =>
    Object.entries(section).map(([path, entry]) => ({ path, ...entry })),
  );
}

/**
 * Every day file that the manifests of these releases name, superseded and withdrawn ones too, by digest.
 * @throws GeneratorError 'damaged' when a manifest is missing or has another digest.
 */
export async function readDayFiles(
  store: ObjectStore,
  releases: readonly ChainRelease[],
): Promise<Map<string, NamedFile>> {
  const digests = releases.flatMap(({ record }) =>
    Object.values(record.manifests).map(({ sha256 }) => sha256),
  );
  const days = new Map<string, NamedFile>();
  await pMap(
    [...new Set(digests)],
    async (digest) => {
      const bytes = await readArtifact(store, digest);
      const { dates } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest; // its digest proves that it was judged
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

/** The key under which a named file lies. */
export function keyOfFile({ sha256 }: NamedFile): string {
  return objectKey(sha256);
}

/** The releases of a chain, latest first, of which nothing is collected: the last 30, and those of the last 30 days. */
export function retainedOf(chain: readonly ChainRelease[], nowMs: number): ChainRelease[] {
  return chain.filter((release, place) => isRetained(release, place, nowMs));
}

/** Whether no collector may take what the release lists; `place` counts from the current release. */
export function isRetained({ record }: ChainRelease, place: number, nowMs: number): boolean {
  return place < RETAINED_RELEASES || nowMs - (parseInstant(record.published_at) ?? nowMs) <= RETAINED_MS;
}
