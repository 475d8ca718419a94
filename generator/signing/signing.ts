import { openSigner, type SigningVariables } from './open-signer.js';
import { count } from '../../schemas/words.js';
import { parseInstant, toInstant } from '../../schemas/dates.js';
import { CLOCK_TOLERANCE_MS, JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import { parseTrustAnchor, type TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { TRUST_FAULTS } from '../../schemas/trust/trust-error.js';
import { isValidAt, verifyStatement, verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import { openJws, thumbprintOf, type ReceivedJws } from '../../schemas/trust/verify-jws.js';
import type {
  GeneratorBuild,
  KeySet,
  PastRelease,
  ReleaseKey,
  ReleaseStatement,
  Timestamp,
} from '../../schemas/types.generated.js';
import type { Etag, ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { damaged, metaOf } from '../state/stored-json.js';
import { readClock } from '../state/trusted-clock.js';
import { retryWrite } from '../state/retry-write.js';
import { signDocument, type Signer } from './signer.js';
import {
  assertSignable,
  getSigned,
  historyDigest,
  KEY_SET_KEY,
  readSignedHistory,
  readStoredKeySet,
  toJws,
  unlessFalse,
  writeReleaseList,
} from './signed-history.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { POINTER_KEY, publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { toStatement } from '../core/trust/release-statement.js';
import { RENEWAL_AGE_MS } from '../state/gc-policy.js';
import { readPointer, readRecord, type StoredRelease } from '../state/published-state.js';
import { isTimely, toTimestamp } from '../core/trust/timestamp.js';

const DAY_MS = 86_400_000;
/** Days before expiry at which runs start to warn. */
const WARNING_DAYS = 21;

/** What is needed to sign the releases of a store. */
export type Signing = {
  readonly signer: Signer;
  readonly keySet: KeySet;
  readonly generator: GeneratorBuild;
  /** Returns the time of signing, in milliseconds since the epoch. */
  readonly now: () => number;
};

/** Options of `openSigning`. */
type OpenSigningOptions = {
  readonly variables: SigningVariables;
  /** True to sign a release although its statement is missing, or its key was revoked or has expired: an operator has checked it. */
  readonly isChecked?: boolean;
  readonly generator: GeneratorBuild;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
};

/**
 * Opens the signing key of a store. Returns `undefined` if its releases are not signed. Warns before the key or the key set
 * expires.
 * @throws GeneratorError 'usage' if only one of the store and the environment has a key, or the key may not sign now; 'damaged'
 * if the key set is not the one that `CRD_SIGNING_TRUST` trusts
 */
export async function openSigning(
  store: ObjectStore,
  { variables, generator, now, warn, isChecked = false }: OpenSigningOptions,
): Promise<Signing | undefined> {
  const anchor = readAnchor(variables);
  const [signer, stored] = await Promise.all([openSigner(variables), readStoredKeySet(store)]);
  if (stored !== undefined && anchor !== undefined) await assertTrusted(stored.value, anchor);
  if (stored === undefined && signer === undefined && anchor === undefined) return undefined;
  if (stored === undefined)
    throw new GeneratorError(
      'usage',
      `${store.address} has no key set, so nobody could verify a signature. Install one with "generator keys install" or, if its releases were never signed, unset CRD_SIGNING_KEY_FILE, CRD_SIGNING_KEY and CRD_SIGNING_TRUST.`,
      { next: ['keys', 'install', '--help'] },
    );
  const { value: keySet } = stored;
  if (signer === undefined)
    throw new GeneratorError(
      'usage',
      `The releases of ${store.address} have been signed since sequence ${keySet.signed_from_sequence}. Set CRD_SIGNING_KEY_FILE or CRD_SIGNING_KEY to the release key.`,
      { next: RUN_AGAIN },
    );
  assertClock(store, now);
  const key = assertMaySign(keySet, signer.kid, now());
  for (const [what, instant] of [
    [`The release key ${key.kid}`, key.valid_until],
    ['The key set', keySet.expires],
  ] as const) {
    const days = Math.floor(((parseInstant(instant) ?? 0) - now()) / DAY_MS);
    if (days < WARNING_DAYS)
      warn(
        `${what} expires in ${count(days, 'day')}, on ${instant}. After that, readers reject the current release. Renew it with "generator keys rotate" and "generator keys install".`,
      );
  }
  const signing = { signer, keySet, generator, now };
  if (!isChecked) await assertSigned(store, signing);
  return signing;
}

/**
 * Passes if the root key is the one that the anchor trusts. Whether the key set has expired is checked with the key.
 * @throws GeneratorError 'damaged'
 */
async function assertTrusted({ site, root }: KeySet, anchor: TrustAnchor): Promise<void> {
  if (site !== anchor.site) throw damaged(KEY_SET_KEY, TRUST_FAULTS['site-wrong']);
  if ((await thumbprintOf(root)) !== anchor.root) throw damaged(KEY_SET_KEY, TRUST_FAULTS['root-untrusted']);
}

/** Returns the trust anchor of the environment. @throws GeneratorError 'usage' if it is not one */
function readAnchor({ CRD_SIGNING_TRUST: text }: SigningVariables): TrustAnchor | undefined {
  const anchor = text === undefined ? undefined : parseTrustAnchor(text);
  if (text === undefined || anchor !== undefined) return anchor;
  throw new GeneratorError(
    'usage',
    'CRD_SIGNING_TRUST is not a trust anchor. Write SITE#THUMBPRINT, as "generator keys show" prints it.',
    { next: RUN_AGAIN },
  );
}

/**
 * Passes if the clocks of this machine and of the store agree. A timestamp of the future would make a frozen copy look current.
 * @throws GeneratorError 'usage'
 */
function assertClock(store: ObjectStore, now: () => number): void {
  const { nowMs, name } = readClock(store, now);
  if (Math.abs(nowMs - now()) <= CLOCK_TOLERANCE_MS) return;
  throw new GeneratorError(
    'usage',
    `This machine's clock shows ${toInstant(now())}, but ${name} shows ${toInstant(nowMs)}. Nothing is signed with a wrong clock: set it, and run again.`,
    { next: RUN_AGAIN },
  );
}

/** Passes if the current release was signed by a key that is trusted. @throws GeneratorError 'damaged' */
async function assertSigned(store: ObjectStore, signing: Signing): Promise<void> {
  const current = await readCurrent(store);
  if (current === undefined) return;
  await readSignedHistory(store, current, signing.keySet);
  await assertNotReplaced(store, signing, current);
}

/** Returns the key of the key set that may sign now. @throws GeneratorError 'usage' */
function assertMaySign(keySet: KeySet, kid: string, nowMs: number): ReleaseKey {
  const key = keySet.keys.find((each) => each.kid === kid);
  if (key === undefined)
    throw new GeneratorError(
      'usage',
      `The key set of the store does not list the release key ${kid}. Use a listed key, or add this one with "generator keys rotate" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  if (key.revoked !== null)
    throw new GeneratorError(
      'usage',
      `The release key ${kid} was revoked at ${key.revoked.at}: ${key.revoked.reason}. Use another key.`,
      { next: RUN_AGAIN },
    );
  if (!isValidAt(key, nowMs))
    throw new GeneratorError(
      'usage',
      `The release key ${kid} is not valid now (valid from ${key.valid_from} to ${key.valid_until}). Use another key, or renew this one with "generator keys rotate --release-key KEY" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  if (nowMs >= (parseInstant(keySet.expires) ?? 0))
    throw new GeneratorError(
      'usage',
      `The key set of the store expired on ${keySet.expires}. Renew it with "generator keys rotate" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  return key;
}

/** Key of the public copy of the current statement. */
export const STATEMENT_COPY_KEY = publicKey(TRUST_PATHS.statement);

/** What is signed about a release. */
type ReleaseToSign = {
  readonly release: StoredRelease;
  /** The entries of all releases up to this one. */
  readonly history: readonly PastRelease[];
  /** True for a release that is not published yet, whose statement garbage collection could delete. */
  readonly isExposed: boolean;
};

/**
 * Writes the signed statement about a release, unless the store has one by the same key. Returns the number of bytes written.
 * It does not depend on the pointer, so that a release is signed before it is published.
 */
export async function signRelease(
  store: ObjectStore,
  signing: Signing,
  { release, history, isExposed }: ReleaseToSign,
): Promise<number> {
  const key = statementKey(release.record.revision, release.sha256);
  const { keySet, generator } = signing;
  assertSignable(release);
  const context = { site: keySet.site, historySha256: historyDigest(history) ?? '', generator };
  const statement = toStatement(release.record, release.sha256, context);
  return retryWrite(store, key, async () => {
    const found = await getSigned(store, key);
    const isSaid = found !== undefined && (await isSame(toJws(key, found), signing, statement));
    if (isSaid && !(isExposed && (await isOld(store, key)))) return 0;
    const body = Buffer.from(await signDocument(signing.signer, 'release-statement', statement));
    return (await put(store, key, body, found?.etag ?? null)) ? body.length : undefined;
  });
}

/**
 * Copies the statement of a release to its public path, unless it is already there or the pointer names another release
 * meanwhile. Returns the number of bytes written.
 */
export async function publishStatement(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
): Promise<number> {
  const statement = await getSigned(store, statementKey(record.revision, sha256));
  if (statement === undefined) return 0;
  return retryWrite(store, STATEMENT_COPY_KEY, async () => {
    const found = await getSigned(store, STATEMENT_COPY_KEY);
    if (found !== undefined && Buffer.from(statement.bytes).equals(found.bytes)) return 0;
    if ((await readPointer(store))?.value.sha256 !== sha256) return 0;
    const isPut = await put(store, STATEMENT_COPY_KEY, statement.bytes, found?.etag ?? null);
    return isPut ? statement.bytes.length : undefined;
  });
}

/** Returns whether the signer's own key has signed the same statement, with whichever build of the generator. */
async function isSame(
  jws: ReturnType<typeof toJws>,
  { signer, keySet, now }: Signing,
  statement: ReleaseStatement,
): Promise<boolean> {
  const found = await unlessFalse(async () =>
    openJws(jws, 'release-statement').kid === signer.kid
      ? verifyStatement(jws, keySet, { nowMs: now() })
      : undefined,
  );
  const { generator } = statement;
  return found !== undefined && canonicalJson({ ...found, generator }) === canonicalJson(statement);
}

/** Returns whether garbage collection may soon delete an object that no release reaches. */
async function isOld(store: ObjectStore, key: string): Promise<boolean> {
  const head = await store.head(key);
  return head === undefined || head.answeredAtMs - head.modifiedAtMs > RENEWAL_AGE_MS;
}

async function put(store: ObjectStore, key: string, body: Uint8Array, etag: Etag | null): Promise<boolean> {
  return (await store.compareAndSwap(key, body, etag, metaOf(key, JWS_TYPE))) !== 'conflict';
}

/** Key of the timestamp. */
export const TIMESTAMP_KEY = publicKey(TRUST_PATHS.timestamp);

/** Number and size of the objects that were written. */
type TrustWritten = { readonly objects: number; readonly bytes: number };

/**
 * Brings the files by which readers verify the current release up to date: its statement, the list of releases and, if too little
 * of its time is left, the timestamp. Runs that publish nothing call it too, so that readers can tell a site that is
 * up to date from a frozen copy.
 */
export function refreshTrustFiles(store: ObjectStore, signing: Signing): Promise<TrustWritten> {
  const written: number[] = [];
  return retryWrite(store, TIMESTAMP_KEY, async () => {
    const release = await readCurrent(store);
    if (release === undefined) return sum(written);
    const history = await readSignedHistory(store, release, signing.keySet);
    await assertNotReplaced(store, signing, release);
    written.push(await signRelease(store, signing, { release, history, isExposed: false }));
    written.push(await writeReleaseList(store, history));
    written.push(await publishStatement(store, release));
    const bytes = await renewTimestamp(store, signing, release);
    return bytes === undefined ? undefined : sum([...written, bytes]);
  });
}

/**
 * Passes if nothing that was signed says that the pointer should name another release: the key of its statement may still sign,
 * and no timestamp is about a later one. A key that was revoked or has expired may be in the hands of somebody else.
 * @throws GeneratorError 'damaged'
 */
async function assertNotReplaced(
  store: ObjectStore,
  { keySet, now }: Signing,
  { record, sha256 }: StoredRelease,
): Promise<void> {
  const key = statementKey(record.revision, sha256);
  const statement = await getSigned(store, key);
  if (statement !== undefined) {
    const kid = await unlessFalse(() => openJws(toJws(key, statement), 'release-statement').kid);
    const signedBy = keySet.keys.find((each) => each.kid === kid);
    if (signedBy !== undefined) assertStillSigns(signedBy, key, now());
  }
  const found = await getSigned(store, TIMESTAMP_KEY);
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
function assertStillSigns(
  { revoked, valid_until: until }: ReleaseKey,
  statement: string,
  nowMs: number,
): void {
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
async function readPast(found: StoredObject, keySet: KeySet): Promise<Timestamp> {
  const jws = toJws(TIMESTAMP_KEY, found);
  return verifyTimestamp(jws, keySet, { nowMs: signedAtMs(jws) });
}

/** Returns when a timestamp says that it was signed, before its signature is verified. @throws TrustError */
function signedAtMs(jws: ReceivedJws): number {
  const { as_of: asOf } = Object(openJws(jws, 'timestamp').content) as { as_of?: unknown }; // any document
  return typeof asOf === 'string' ? (parseInstant(asOf) ?? 0) : 0;
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
  const found = await getSigned(store, TIMESTAMP_KEY);
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
    openJws(jws, 'timestamp').kid === signer.kid ? verifyTimestamp(jws, keySet, { nowMs: now() }) : undefined,
  );
}

function sum(written: readonly number[]): TrustWritten {
  const bytes = written.reduce((total, each) => total + each, 0);
  return { objects: written.filter((each) => each > 0).length, bytes };
}
