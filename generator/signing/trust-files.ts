import { parseInstant } from '../../schemas/dates.js';
import { POINTER_KEY, publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import { verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import { TRUST_FAULTS } from '../../schemas/trust/trust-error.js';
import { keyIdOf } from '../../schemas/trust/verify-jws.js';
import type { KeySet, ReleaseKey, Timestamp } from '../../schemas/types.generated.js';
import type { ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import { isTimely, toTimestamp } from '../core/trust/timestamp.js';
import { metaOf } from '../state/object-meta.js';
import { damaged } from '../state/stored-json.js';
import { readPointer, readRecord } from '../state/published-state.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import { toJws } from './check-statement.js';
import type { Signing } from './open-signing.js';
import { readSignedHistory } from './signed-history.js';
import { writeReleaseList } from './release-list.js';
import { publishStatement, signRelease } from './statements.js';
import { signDocument } from './signer.js';
import { checkForm } from './stored-key-set.js';
import { unlessFalse } from './trust-damage.js';

/** Key of the timestamp. */
export const TIMESTAMP_KEY = publicKey(TRUST_PATHS.timestamp);

/** Number and size of the objects that were written. */
type TrustWritten = { readonly objects: number; readonly bytes: number };

/**
 * Brings the files by which readers verify the current release up to date: its statement, the list of releases and, if too little
 * of its time is left, the timestamp. Runs that publish nothing call it too, so that readers can tell a site that is
 * up to date from a frozen copy.
 */
export async function refreshTrustFiles(store: ObjectStore, signing: Signing): Promise<TrustWritten> {
  const written: number[] = [];
  for (;;) {
    const release = await readCurrent(store);
    if (release === undefined) return sum(written);
    const history = await readSignedHistory(store, release, signing.keySet);
    await assertNotReplaced(store, signing, release);
    written.push(await signRelease(store, signing, { release, history, isExposed: false }));
    written.push(await writeReleaseList(store, history));
    written.push(await publishStatement(store, release));
    const bytes = await renewTimestamp(store, signing, release);
    if (bytes !== undefined) return sum([...written, bytes]);
  }
}

/**
 * Passes if nothing that was signed says that the pointer should name another release: the key of its statement may still sign,
 * and no timestamp is about a later one. A key that was revoked or has expired may be in the hands of somebody else.
 * @throws GeneratorError 'damaged'
 */
export async function assertNotReplaced(
  store: ObjectStore,
  { keySet, now }: Signing,
  { record, sha256 }: StoredRelease,
): Promise<void> {
  const key = statementKey(record.revision, sha256);
  const statement = await store.get(key);
  if (statement !== undefined) {
    const kid = await unlessFalse(() => keyIdOf(toJws(key, statement), 'release-statement'));
    const signedBy = keySet.keys.find((each) => each.kid === kid);
    if (signedBy !== undefined) assertMaySign(signedBy, key, now());
  }
  const found = await store.get(TIMESTAMP_KEY);
  const timestamp = found && (await unlessFalse(() => readPast(found, keySet)));
  if (timestamp !== undefined && timestamp.sequence > record.sequence)
    throw damaged(
      POINTER_KEY,
      `names release ${record.sequence}, but release ${timestamp.sequence} was signed as the current one: someone has moved the pointer back. Restore the store from a mirror`,
    );
}

/**
 * Passes if the key of a statement may still sign.
 * @throws GeneratorError 'damaged'
 */
function assertMaySign({ revoked, valid_until: until }: ReleaseKey, statement: string, nowMs: number): void {
  if (revoked !== null)
    throw damaged(statement, `${TRUST_FAULTS['key-revoked']} (${revoked.reason}). ${CHECK}`);
  if (nowMs >= (parseInstant(until) ?? Infinity))
    throw damaged(
      statement,
      `was signed by a key that has expired (valid until ${until}), and no run with a newer key has signed it since. ${CHECK}`,
    );
}

/** Remedy for a release that the operator may not have published. */
const CHECK =
  'Somebody else may have written to the store. Check the release. If it is yours, sign it again with "generator repair --sign"';

/** Reads a timestamp as of the time when it was signed. @throws TrustError */
function readPast(found: StoredObject, keySet: KeySet): Promise<Timestamp> {
  const jws = toJws(TIMESTAMP_KEY, found);
  return verifyTimestamp(jws, keySet, { checkForm, nowMs: signedAtMs(jws.text) });
}

/** Returns when a timestamp says that it was signed, before it is verified; 0 if it cannot be read. */
function signedAtMs(text: string): number {
  try {
    const payload = Buffer.from(text.split('.')[1] ?? '', 'base64url').toString();
    const { as_of: asOf } = Object(JSON.parse(payload)) as { as_of?: unknown }; // any document
    return typeof asOf === 'string' ? (parseInstant(asOf) ?? 0) : 0;
  } catch {
    return 0;
  }
}

/** Reads the release that the pointer names; `undefined` before the first. */
export async function readCurrent(store: ObjectStore): Promise<StoredRelease | undefined> {
  const pointer = await readPointer(store);
  if (pointer === undefined) return undefined;
  const { sha256 } = pointer.value;
  return { record: await readRecord(store, pointer.value), sha256 };
}

/**
 * Renews the timestamp if too little of its time is left, or if another key than the signer's has signed it. Returns the
 * number of bytes written; `undefined` if another run published a release or wrote the timestamp meanwhile, so that the
 * caller looks again.
 */
async function renewTimestamp(
  store: ObjectStore,
  signing: Signing,
  { record, sha256 }: StoredRelease,
): Promise<number | undefined> {
  const { signer, keySet, now } = signing;
  const subject = { site: keySet.site, sequence: record.sequence, sha256 };
  const found = await store.get(TIMESTAMP_KEY);
  const timestamp = found && (await readTimestamp(found, signing));
  if (timestamp !== undefined && isTimely(timestamp, subject, now())) return 0;
  if ((await readPointer(store))?.value.sha256 !== sha256) return undefined;
  const body = Buffer.from(await signDocument(signer, 'timestamp', toTimestamp(subject, now())));
  const meta = metaOf(TIMESTAMP_KEY, JWS_TYPE);
  const swapped = await store.compareAndSwap(TIMESTAMP_KEY, body, found?.etag ?? null, meta);
  return swapped === 'conflict' ? undefined : body.length;
}

/** Returns a stored timestamp if the signer has signed it and readers accept it now. */
function readTimestamp(
  found: StoredObject,
  { signer, keySet, now }: Signing,
): Promise<Timestamp | undefined> {
  const jws = toJws(TIMESTAMP_KEY, found);
  return unlessFalse(() =>
    keyIdOf(jws, 'timestamp') === signer.kid
      ? verifyTimestamp(jws, keySet, { checkForm, nowMs: now() })
      : undefined,
  );
}

function sum(written: readonly number[]): TrustWritten {
  const bytes = written.reduce((total, each) => total + each, 0);
  return { objects: written.filter((each) => each > 0).length, bytes };
}
