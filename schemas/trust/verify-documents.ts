import { parseInstant } from '../dates.js';
import type { KeySet, ReleaseKey, ReleaseStatement, Timestamp } from '../types.generated.js';
import { checkForm, isPublicKey } from './document-forms.js';
import type { TrustAnchor } from './trust-anchor.js';
import { CLOCK_TOLERANCE_MS, type TrustDocumentName, type TrustDocuments } from './trust-documents.js';
import { TrustError } from './trust-error.js';
import { openJws, thumbprintOf, verifySignature, type OpenedJws, type ReceivedJws } from './verify-jws.js';

export type VerifyOptions = {
  /** The reader's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
};

/**
 * Verifies a key set: its root key has the thumbprint that the reader trusts, has signed it, and it is about the reader's site
 * and in force.
 * @throws TrustError
 */
export async function verifyKeySet(
  jws: ReceivedJws,
  anchor: TrustAnchor,
  { nowMs }: VerifyOptions,
): Promise<KeySet> {
  const { keySet, root } = await openKeySet(jws);
  const { subject } = jws;
  if (root !== anchor.root) throw new TrustError('root-untrusted', subject, `root key ${root}`);
  assertSite(subject, keySet.site, anchor.site);
  const { issued_at: issued, expires } = keySet;
  if (nowMs >= toMs(expires)) throw new TrustError('keys-expired', subject, `on ${expires}`);
  if (nowMs + CLOCK_TOLERANCE_MS < toMs(issued))
    throw new TrustError('timestamp-early', subject, `issued at ${issued}`);
  return keySet;
}

/**
 * Verifies that a key set is signed by the root key that it names itself, which proves nothing about who that is.
 * @throws TrustError
 */
export async function readKeySet(jws: ReceivedJws): Promise<KeySet> {
  return (await openKeySet(jws)).keySet;
}

async function openKeySet(jws: ReceivedJws): Promise<{ readonly keySet: KeySet; readonly root: string }> {
  const opened = openJws(jws, 'key-set');
  const { root } = Object(opened.content) as { root?: unknown }; // any document
  if (!isPublicKey(root) || (await thumbprintOf(root)) !== opened.kid)
    throw new TrustError('key-unknown', jws.subject, `key ${opened.kid}`);
  await verifySignature(opened, root);
  return { keySet: formOf('key-set', opened), root: opened.kid };
}

/** Verifies the timestamp of a site. @throws TrustError */
export async function verifyTimestamp(
  jws: ReceivedJws,
  keySet: KeySet,
  { nowMs }: VerifyOptions,
): Promise<Timestamp> {
  const timestamp = await verifyCurrent('timestamp', jws, keySet, nowMs);
  const { as_of: asOf, expires } = timestamp;
  if (nowMs >= toMs(expires))
    throw new TrustError('timestamp-expired', jws.subject, `on ${expires}; release ${timestamp.sequence}`);
  if (nowMs + CLOCK_TOLERANCE_MS < toMs(asOf))
    throw new TrustError('timestamp-early', jws.subject, `signed at ${asOf}`);
  return timestamp;
}

/** Verifies the statement about the current release. @throws TrustError */
export function verifyStatement(
  jws: ReceivedJws,
  keySet: KeySet,
  { nowMs }: VerifyOptions,
): Promise<ReleaseStatement> {
  return verifyCurrent('release-statement', jws, keySet, nowMs);
}

/**
 * Verifies the statement about an earlier release. Its key may have expired or been revoked since: that the release belongs
 * to the history follows from the current one, which names its digest.
 * @throws TrustError
 */
export async function verifyPastStatement(jws: ReceivedJws, keySet: KeySet): Promise<ReleaseStatement> {
  const opened = openJws(jws, 'release-statement');
  return verifyBy(await listedKey(keySet, opened), 'release-statement', opened, keySet);
}

async function verifyCurrent<N extends 'timestamp' | 'release-statement'>(
  name: N,
  jws: ReceivedJws,
  keySet: KeySet,
  nowMs: number,
): Promise<TrustDocuments[N]> {
  const opened = openJws(jws, name);
  const key = await listedKey(keySet, opened);
  assertCurrent(key, { subject: jws.subject, nowMs });
  return verifyBy(key, name, opened, keySet);
}

/** Returns the key with this id if it may sign at this time. @throws TrustError 'key-unknown', 'key-revoked', 'key-expired' */
export function currentKey(
  keySet: KeySet,
  kid: string,
  { subject, nowMs }: Pick<ReceivedJws, 'subject'> & VerifyOptions,
): ReleaseKey {
  const key = findKey(keySet, kid, subject);
  assertCurrent(key, { subject, nowMs });
  return key;
}

function assertCurrent(
  key: ReleaseKey,
  { subject, nowMs }: Pick<ReceivedJws, 'subject'> & VerifyOptions,
): void {
  const { kid, revoked, valid_from: from, valid_until: until } = key;
  if (revoked !== null) throw new TrustError('key-revoked', subject, `key ${kid}: ${revoked.reason}`);
  if (!isValidAt(key, nowMs)) throw new TrustError('key-expired', subject, `key ${kid}: ${from} to ${until}`);
}

/** Returns the key that a document names, if the key set lists it under its own id. @throws TrustError 'key-unknown' */
async function listedKey(keySet: KeySet, { kid, subject }: OpenedJws): Promise<ReleaseKey> {
  const key = findKey(keySet, kid, subject);
  if ((await thumbprintOf(key.jwk)) !== kid) throw new TrustError('key-unknown', subject, `key ${kid}`);
  return key;
}

/** Returns whether a key may sign at this time. A reader's clock may be a little behind. */
export function isValidAt({ valid_from: from, valid_until: until }: ReleaseKey, nowMs: number): boolean {
  return nowMs + CLOCK_TOLERANCE_MS >= toMs(from) && nowMs < toMs(until);
}

function findKey({ keys }: KeySet, kid: string, subject: string): ReleaseKey {
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) throw new TrustError('key-unknown', subject, `key ${kid}`);
  return key;
}

async function verifyBy<N extends TrustDocumentName>(
  { jwk }: ReleaseKey,
  name: N,
  opened: OpenedJws,
  { site }: KeySet,
): Promise<TrustDocuments[N]> {
  const { subject } = opened;
  await verifySignature(opened, jwk);
  const document = formOf(name, opened);
  assertSite(subject, document.site, site);
  return document;
}

/** Returns what a signed document says. @throws TrustError 'jws-malformed' */
function formOf<N extends TrustDocumentName>(name: N, { subject, content }: OpenedJws): TrustDocuments[N] {
  try {
    return checkForm(name, content);
  } catch (error) {
    throw new TrustError('jws-malformed', subject, error instanceof Error ? error.message : '', {
      cause: error,
    });
  }
}

function assertSite(subject: string, found: string, expected: string): void {
  if (found !== expected) throw new TrustError('site-wrong', subject, `${found} instead of ${expected}`);
}

function toMs(instant: string): number {
  const ms = parseInstant(instant);
  if (ms === undefined) throw new TypeError(`not an instant: ${instant}`); // the form was checked
  return ms;
}
