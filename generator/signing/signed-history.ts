import type { KeySet, PastRelease } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { toPastRelease } from '../core/trust/release-statement.js';
import { readRecord } from '../state/published-state.js';
import { readReleases, type StoredRelease } from '../state/reachable-objects.js';
import { readCheckedStatement } from './check-statement.js';
import { historyDigest, readReleaseList, toHistory } from './release-list.js';

/**
 * Returns the entries of all releases up to a published one. If it must be signed, its statement is verified: only what was
 * signed before is signed again or continued, so that nobody without the key can have a release signed by moving the pointer.
 * @throws GeneratorError 'damaged' if its statement is missing or false, or a record is missing
 */
export async function readSignedHistory(
  store: ObjectStore,
  release: StoredRelease,
  keySet: KeySet,
): Promise<PastRelease[]> {
  const { sequence } = release.record;
  const listed = (await readReleaseList(store)).releases.slice(0, sequence);
  const listedDigest = historyDigest(listed) ?? '';
  const isListed = await isStated(store, release, { keySet, historySha256: listedDigest });
  if (isListed && listed.length === sequence) return [...listed];
  const releases = await readReleases(store, {
    revision: release.record.revision,
    sha256: release.sha256,
  });
  const history = toHistory(releases);
  await readCheckedStatement(store, release, { keySet, historySha256: historyDigest(history) ?? '' });
  return history;
}

/** Returns the entries of all releases up to one that is about to be published. @throws as `readSignedHistory` for the one before it */
export async function readNextHistory(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
  keySet: KeySet,
): Promise<PastRelease[]> {
  const own = toPastRelease(record, sha256);
  const { previous } = record;
  if (previous === null) return [own];
  const before = { record: await readRecord(store, previous), sha256: previous.sha256 };
  return [...(await readSignedHistory(store, before, keySet)), own];
}

/** Returns whether the statement about a release is there and says that its history has this digest. */
async function isStated(
  store: ObjectStore,
  release: StoredRelease,
  expected: { readonly keySet: KeySet; readonly historySha256: string },
): Promise<boolean> {
  try {
    return (await readCheckedStatement(store, release, expected)) !== undefined;
  } catch {
    return false; // the caller looks at the records, and reports what is wrong
  }
}
