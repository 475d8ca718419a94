import { MAX_SIGNED_BYTES } from '../../schemas/trust/trust-documents.js';
import type { KeySet, PastRelease, ReleaseStatement } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import { toPastRelease, toStatement } from '../core/trust/release-statement.js';
import { readRecord, readReleases, type StoredRelease } from '../state/published-state.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { PUBLIC_PATHS, publicKey, releaseKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { TRUST_FAULTS, TrustError } from '../../schemas/trust/trust-error.js';
import { readKeySet, verifyKeySet, verifyPastStatement } from '../../schemas/trust/verify-documents.js';
import { damaged, getDocument, metaOf, parseStored, unlessDamaged } from '../state/stored-json.js';
import { retryWrite } from '../state/retry-write.js';
import { createHash } from 'node:crypto';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { toReceived, type ReceivedJws } from '../../schemas/trust/verify-jws.js';
import { GeneratorError } from '../core/generator-error.js';

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

/** The keys that may have signed a statement, and the digest of the history that it must name. */
type ExpectedStatement = { readonly keySet: KeySet; readonly historySha256: string };

/** Returns the `history_sha256` of each release, by its sequence. `releases` are ordered from the newest. */
export function historyDigestsOf(releases: readonly StoredRelease[]): ReadonlyMap<number, string> {
  const history = toHistory(releases);
  const digests = historyDigests(history);
  return new Map(history.map(({ sequence }, i) => [sequence, digests[i] ?? '']));
}

/**
 * Reads the statement about a release and checks its signature, and that it says what the record and the history say. Returns
 * `undefined` for a release that was published before signing began, unless it was signed later.
 * @throws GeneratorError 'damaged'
 */
export async function readCheckedStatement(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
  { keySet, historySha256 }: ExpectedStatement,
): Promise<StoredObject | undefined> {
  const key = statementKey(record.revision, sha256);
  const isRequired = record.sequence >= keySet.signed_from_sequence;
  const found = await getSigned(store, key);
  if (found === undefined) {
    if (isRequired) throw damaged(key, TRUST_FAULTS['release-unsigned']);
    return undefined;
  }
  const verify = (): Promise<ReleaseStatement> => verifyPastStatement(toJws(key, found), keySet);
  const statement = await (isRequired ? damagedByTrust(verify) : unlessFalse(verify));
  if (statement === undefined) return undefined;
  assertSignable({ record, sha256 });
  const { generator, site } = statement;
  const expected = toStatement(record, sha256, { site, historySha256, generator });
  if (canonicalJson(statement) !== canonicalJson(expected))
    throw damaged(key, 'does not say what the release record and the history say');
  return found;
}

/** Passes if a statement about the release can be made. @throws GeneratorError 'damaged' if it has no list of public files. */
export function assertSignable({ record, sha256 }: StoredRelease): void {
  const { release } = PUBLIC_PATHS;
  if (record.public[release] === undefined)
    throw damaged(releaseKey(record.revision, sha256), `does not list ${release}`);
}

/** Reads a signed document. Of one that is too large, a byte more than the limit is read, so that it is refused as such. */
export function getSigned(store: ObjectStore, key: string): Promise<StoredObject | undefined> {
  return store.get(key, MAX_SIGNED_BYTES + 1);
}

/** Returns a stored object as a signed document. */
export function toJws(subject: string, { bytes }: StoredObject): ReceivedJws {
  return toReceived(bytes, subject);
}

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
function historyDigests(history: readonly PastRelease[]): string[] {
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
export function writeReleaseList(store: ObjectStore, history: readonly PastRelease[]): Promise<number> {
  const body = releaseListBytes(history);
  return retryWrite(store, RELEASE_LIST_KEY, async () => {
    const { releases, etag } = await readReleaseList(store);
    if (historyDigest(releases.slice(0, history.length)) === historyDigest(history)) return 0;
    const meta = metaOf(RELEASE_LIST_KEY);
    const swapped = await store.compareAndSwap(RELEASE_LIST_KEY, body, etag, meta);
    return swapped === 'conflict' ? undefined : body.length;
  });
}

/** Returns the bytes of the list of releases. */
export function releaseListBytes(releases: readonly PastRelease[]): Buffer {
  return Buffer.from(canonicalJson({ schema: 'releases/1', releases }));
}

/** Reads the list of releases, which nothing has verified. A missing or damaged one is empty: it can be derived. */
async function readReleaseList(
  store: ObjectStore,
): Promise<{ readonly releases: readonly PastRelease[]; readonly etag: Etag | null }> {
  const found = await getDocument(store, RELEASE_LIST_KEY, 'releases');
  if (found === undefined) return { releases: [], etag: null };
  const list = await unlessDamaged(() => parseStored(RELEASE_LIST_KEY, 'releases', found.bytes));
  return { releases: list?.releases ?? [], etag: found.etag };
}

/** Key of the key set. */
export const KEY_SET_KEY = publicKey(TRUST_PATHS.keys);

/** The key set of a store, with its signed text. */
export type StoredKeySet = { readonly text: string; readonly value: KeySet; readonly etag: Etag };

/**
 * Reads the key set of a store; `undefined` if its releases are not signed. With an anchor, it must be the one that the anchor
 * trusts, and in force at `nowMs`.
 * @throws GeneratorError 'damaged' if it is not valid
 */
export async function readStoredKeySet(
  store: ObjectStore,
  trust?: { readonly anchor: TrustAnchor; readonly nowMs: number },
): Promise<StoredKeySet | undefined> {
  const found = await getSigned(store, KEY_SET_KEY);
  if (found === undefined) return undefined;
  const jws = toJws(KEY_SET_KEY, found);
  const value = await damagedByTrust(() =>
    trust === undefined ? readKeySet(jws) : verifyKeySet(jws, trust.anchor, { nowMs: trust.nowMs }),
  );
  return { text: jws.text, value, etag: found.etag };
}

/** Runs `work`, and throws a failed verification as damage of the store. @throws GeneratorError 'damaged' */
export async function damagedByTrust<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TrustError) throw damaged(error.subject, error.reason, error);
    throw error;
  }
}

/** Returns the result of `work`, or `undefined` if a verification in it fails. */
export async function unlessFalse<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof GeneratorError ? error.cause : error;
    if (cause instanceof TrustError) return undefined;
    throw error;
  }
}
