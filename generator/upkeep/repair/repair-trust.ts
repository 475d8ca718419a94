import { parseStatementKey } from '../../../schemas/paths.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { StoreFault } from '../../core/store-fault.js';
import { toPastRelease } from '../../core/trust/release-statement.js';
import type { Signing } from '../../signing/open-signing.js';
import { releaseListBytes, RELEASE_LIST_KEY } from '../../signing/release-list.js';
import { publishStatement, signRelease } from '../../signing/statements.js';
import { KEY_SET_KEY } from '../../signing/stored-key-set.js';
import { readCurrent, refreshTrustFiles } from '../../signing/trust-files.js';
import { metaOf } from '../../state/object-meta.js';
import { readReleases, type StoredRelease } from '../../state/reachable-objects.js';

/**
 * Restores what readers verify releases with: the list of releases and the public copy of the statement and, with the release
 * key, lost statements and the timestamp. Returns the keys of the statements that were signed again.
 */
export async function repairTrustFiles(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing | undefined,
): Promise<string[]> {
  const current = (await store.head(KEY_SET_KEY)) === undefined ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const releases = await readReleases(store, { revision: current.record.revision, sha256: current.sha256 });
  await restoreReleaseList(store, releases);
  if (signing === undefined) {
    await publishStatement(store, current);
    return [];
  }
  const lost = faults.flatMap(({ key }) => {
    const { sha256 } = parseStatementKey(key) ?? {};
    const release = releases.find((each) => each.sha256 === sha256);
    return release === undefined ? [] : [{ key, release }];
  });
  for (const { release } of lost) await signRelease(store, signing, release);
  await refreshTrustFiles(store, signing);
  return lost.map(({ key }) => key);
}

/** Writes the list of releases from the release records, unless it is right. */
async function restoreReleaseList(store: ObjectStore, releases: readonly StoredRelease[]): Promise<void> {
  const body = releaseListBytes(
    releases.map(({ record, sha256 }) => toPastRelease(record, sha256)).reverse(),
  );
  const found = await store.get(RELEASE_LIST_KEY);
  if (found !== undefined && body.equals(found.bytes)) return;
  await store.compareAndSwap(RELEASE_LIST_KEY, body, found?.etag ?? null, metaOf(RELEASE_LIST_KEY));
}
