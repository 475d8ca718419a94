import { createHash } from 'node:crypto';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, TRUST_PATHS } from '../../schemas/paths.js';
import type { PastRelease } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { toPastRelease } from '../core/trust/release-statement.js';
import { metaOf } from '../state/object-meta.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import { parseStored } from '../state/stored-json.js';
import { unlessDamaged } from '../state/unless-damaged.js';

/** Key of the list of all releases. */
export const RELEASE_LIST_KEY = publicKey(TRUST_PATHS.releases);

/** Returns the entries of releases, oldest first. `releases` are ordered from the newest. */
export function toHistory(releases: readonly StoredRelease[]): PastRelease[] {
  return releases.map(({ record, sha256 }) => toPastRelease(record, sha256)).reverse();
}

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

/** Returns the `history_sha256` of the last release of a history. */
export function historyDigest(history: readonly PastRelease[]): string | undefined {
  return historyDigests(history).at(-1);
}

/**
 * Writes the list of all releases, unless it is there already; a longer one, which another run has written meanwhile, stays.
 * Returns the number of bytes written.
 */
export async function writeReleaseList(store: ObjectStore, history: readonly PastRelease[]): Promise<number> {
  const body = releaseListBytes(history);
  for (;;) {
    const { releases, etag } = await readReleaseList(store);
    if (historyDigest(releases.slice(0, history.length)) === historyDigest(history)) return 0;
    const meta = metaOf(RELEASE_LIST_KEY);
    if ((await store.compareAndSwap(RELEASE_LIST_KEY, body, etag, meta)) !== 'conflict') return body.length;
  }
}

/** Returns the bytes of the list of releases. */
export function releaseListBytes(releases: readonly PastRelease[]): Buffer {
  return Buffer.from(canonicalJson({ schema: 'releases/1', releases }));
}

/** Reads the list of releases, which nothing has verified. A missing or damaged one is empty: it can be derived. */
export async function readReleaseList(
  store: ObjectStore,
): Promise<{ readonly releases: readonly PastRelease[]; readonly etag: Etag | null }> {
  const found = await store.get(RELEASE_LIST_KEY);
  if (found === undefined) return { releases: [], etag: null };
  const list = await unlessDamaged(() => parseStored(RELEASE_LIST_KEY, 'releases', found.bytes));
  return { releases: list?.releases ?? [], etag: found.etag };
}
