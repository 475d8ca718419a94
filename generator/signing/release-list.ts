import { createHash } from 'node:crypto';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, TRUST_PATHS } from '../../schemas/paths.js';
import type { PastRelease } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { toPastRelease } from '../core/trust/release-statement.js';
import { metaOf } from '../state/object-meta.js';
import { readReleases, type StoredRelease } from '../state/reachable-objects.js';
import { readStoredJson } from '../state/stored-json.js';

/** Key of the list of all releases. */
export const RELEASE_LIST_KEY = publicKey(TRUST_PATHS.releases);

/**
 * Returns for each release the `history_sha256` of its statement: the SHA-256 of the canonical JSON of the entries up to it.
 * Precondition: the entries are complete and in order.
 */
export function historyDigests(history: readonly PastRelease[]): string[] {
  const hash = createHash('sha256');
  return history.map((entry, i) => {
    hash.update((i === 0 ? '[' : ',') + canonicalJson(entry));
    return hash.copy().update(']').digest('hex');
  });
}

/**
 * Returns the entries of all releases up to this one. Those before it come from the list in the store if it contains the
 * previous release, otherwise from the release records.
 * @throws GeneratorError 'damaged' if a record is missing
 */
export async function readHistory(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
): Promise<PastRelease[]> {
  const own = toPastRelease(record, sha256);
  const { previous } = record;
  if (previous === null) return [own];
  const listed = (await readReleaseList(store)).releases.slice(0, record.sequence - 1);
  if (listed.length === record.sequence - 1 && listed.at(-1)?.sha256 === previous.sha256)
    return [...listed, own];
  const releases = await readReleases(store, previous);
  return [...releases.map((each) => toPastRelease(each.record, each.sha256)).reverse(), own];
}

/** Writes the list of all releases up to this one, unless it is there already. Returns the number of bytes written. */
export async function writeReleaseList(store: ObjectStore, release: StoredRelease): Promise<number> {
  for (;;) {
    const { releases, etag } = await readReleaseList(store);
    if (releases[release.record.sequence - 1]?.sha256 === release.sha256) return 0;
    const body = releaseListBytes(await readHistory(store, release));
    const meta = metaOf(RELEASE_LIST_KEY);
    if ((await store.compareAndSwap(RELEASE_LIST_KEY, body, etag, meta)) !== 'conflict') return body.length;
  }
}

/** Returns the bytes of the list of releases. */
export function releaseListBytes(releases: readonly PastRelease[]): Buffer {
  return Buffer.from(canonicalJson({ schema: 'releases/1', releases }));
}

async function readReleaseList(
  store: ObjectStore,
): Promise<{ readonly releases: readonly PastRelease[]; readonly etag: Etag | null }> {
  const found = await readStoredJson(store, RELEASE_LIST_KEY, 'releases');
  return found === undefined
    ? { releases: [], etag: null }
    : { releases: found.value.releases, etag: found.etag };
}
