import { parseStatementKey, statementKey } from '../../../schemas/paths.js';
import type { PastRelease } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { StoreFault } from '../../core/store-fault.js';
import {
  publishStatement,
  readCurrent,
  refreshTrustFiles,
  type Signing,
  signRelease,
} from '../../signing/signing.js';
import { KEY_SET_KEY, RELEASE_LIST_KEY, releaseListBytes, toHistory } from '../../signing/signed-history.js';
import { metaOf } from '../../state/stored-json.js';
import { readReleases, type StoredRelease } from '../../state/published-state.js';

/**
 * Restores what readers verify releases with: the list of releases and the public copy of the statement and, with the release
 * key, lost statements, the current one if its key was revoked or has expired, and the timestamp. Returns the keys of the
 * statements that were signed again. Precondition with `signing`: the operator has checked that the releases are theirs.
 */
export async function repairTrustFiles(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing | undefined,
): Promise<string[]> {
  const current = (await store.head(KEY_SET_KEY)) === undefined ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const releases = await readReleases(store, { revision: current.record.revision, sha256: current.sha256 });
  await restoreReleaseList(store, toHistory(releases));
  if (signing === undefined) {
    await publishStatement(store, current);
    return [];
  }
  const lost = lostStatements(faults);
  const signed = await signAll(
    store,
    signing,
    releases,
    (sha256) => lost.has(sha256) || sha256 === current.sha256,
  );
  await refreshTrustFiles(store, signing);
  return signed;
}

/** Signs the lost statements about the current release and those before it. Returns their keys. Precondition: as above. */
export async function signLostStatements(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing,
): Promise<string[]> {
  const lost = lostStatements(faults);
  const current = lost.size === 0 ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const { revision } = current.record;
  const releases = await readReleases(store, { revision, sha256: current.sha256 });
  return signAll(store, signing, releases, (sha256) => lost.has(sha256));
}

/** Returns the digests of the releases whose statements have faults. */
function lostStatements(faults: readonly StoreFault[]): ReadonlySet<string> {
  return new Set(faults.flatMap(({ key }) => parseStatementKey(key)?.sha256 ?? []));
}

/** Signs those releases that `isToSign` accepts by their digest. Returns the keys of the statements that were written. */
async function signAll(
  store: ObjectStore,
  signing: Signing,
  releases: readonly StoredRelease[],
  isToSign: (sha256: string) => boolean,
): Promise<string[]> {
  const history = toHistory(releases);
  const signed: string[] = [];
  for (const release of releases) {
    const { revision, sequence } = release.record;
    if (!isToSign(release.sha256)) continue;
    const toSign = { release, history: history.slice(0, sequence), isExposed: false };
    if ((await signRelease(store, signing, toSign)) > 0) signed.push(statementKey(revision, release.sha256));
  }
  return signed;
}

/** Writes the list of releases from the release records, unless it is right. */
async function restoreReleaseList(store: ObjectStore, history: readonly PastRelease[]): Promise<void> {
  const body = releaseListBytes(history);
  const found = await store.get(RELEASE_LIST_KEY);
  if (found !== undefined && body.equals(found.bytes)) return;
  await store.compareAndSwap(RELEASE_LIST_KEY, body, found?.etag ?? null, metaOf(RELEASE_LIST_KEY));
}
