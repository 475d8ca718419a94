import { parseStatementKey, statementKey } from '../../../schemas/paths.js';
import type { PastRelease } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { StoreFault } from '../../core/store-fault.js';
import { toPastRelease } from '../../core/trust/release-statement.js';
import type { Signing } from '../../signing/open-signing.js';
import { releaseListBytes, RELEASE_LIST_KEY } from '../../signing/release-list.js';
import { publishStatement, signRelease } from '../../signing/statements.js';
import { KEY_SET_KEY } from '../../signing/stored-key-set.js';
import { readCurrent, refreshTrustFiles } from '../../signing/trust-files.js';
import { metaOf } from '../../state/object-meta.js';
import { readReleases } from '../../state/reachable-objects.js';

/**
 * Restores what readers verify releases with: the list of releases and the public copy of the statement and, with the release
 * key, lost statements, the current one if its key was revoked, and the timestamp. Returns the keys of the statements that were
 * signed again. Precondition with `signing`: the operator has checked that the releases are theirs.
 */
export async function repairTrustFiles(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing | undefined,
): Promise<string[]> {
  const current = (await store.head(KEY_SET_KEY)) === undefined ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const releases = await readReleases(store, { revision: current.record.revision, sha256: current.sha256 });
  const history = releases.map(({ record, sha256 }) => toPastRelease(record, sha256)).reverse();
  await restoreReleaseList(store, history);
  if (signing === undefined) {
    await publishStatement(store, current);
    return [];
  }
  const lost = new Set(faults.map(({ key }) => parseStatementKey(key)?.sha256));
  const signed: string[] = [];
  for (const release of releases) {
    const { revision, sequence } = release.record;
    if (!lost.has(release.sha256) && release.sha256 !== current.sha256) continue;
    const toSign = { release, history: history.slice(0, sequence), isExposed: false };
    if ((await signRelease(store, signing, toSign)) > 0) signed.push(statementKey(revision, release.sha256));
  }
  await refreshTrustFiles(store, signing);
  return signed;
}

/** Writes the list of releases from the release records, unless it is right. */
async function restoreReleaseList(store: ObjectStore, history: readonly PastRelease[]): Promise<void> {
  const body = releaseListBytes(history);
  const found = await store.get(RELEASE_LIST_KEY);
  if (found !== undefined && body.equals(found.bytes)) return;
  await store.compareAndSwap(RELEASE_LIST_KEY, body, found?.etag ?? null, metaOf(RELEASE_LIST_KEY));
}
