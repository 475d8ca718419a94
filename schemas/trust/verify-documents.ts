import { base64url } from 'jose';
import { parseInstant } from '../dates.js';
import type { KeySet, PublicKey, ReleaseKey, ReleaseStatement, Timestamp } from '../types.generated.js';
import type { TrustAnchor } from './trust-anchor.js';
import { CLOCK_TOLERANCE_MS, type TrustDocumentName, type TrustDocuments } from './trust-documents.js';
import { TrustError } from './trust-error.js';
import { keyIdOf, thumbprintOf, verifySignature, type ReceivedJws } from './verify-jws.js';

/**
 * Checks the form of a document that was signed. Throws if it does not have it. A program that cannot validate schemas, such as a
 * page under a strict content policy, may check less: what a trusted key has signed has the right form.
 */
export type CheckForm = <N extends TrustDocumentName>(name: N, value: unknown) => TrustDocuments[N];

/** Options of verification. */
export type VerifyOptions = {
  readonly checkForm: CheckForm;
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
  options: VerifyOptions,
): Promise<KeySet> {
  const keySet = await readKeySet(jws, options.checkForm);
  const { subject } = jws;
  const root = keyIdOf(jws, 'key-set');
  if (root !== anchor.root) throw new TrustError('root-untrusted', subject, `root key ${root}`);
  assertSite(subject, keySet.site, anchor.site);
  const { issued_at: issued, expires } = keySet;
  if (options.nowMs >= toMs(expires)) throw new TrustError('keys-expired', subject, `on ${expires}`);
  if (options.nowMs + CLOCK_TOLERANCE_MS < toMs(issued))
    throw new TrustError('timestamp-early', subject, `issued at ${issued}`);
  return keySet;
}

/**
 * Verifies that a key set is signed by the root key that it names itself, which proves nothing about who that is.
 * @throws TrustError
 */
export async function readKeySet(jws: ReceivedJws, checkForm: CheckForm): Promise<KeySet> {
  const kid = keyIdOf(jws, 'key-set');
  const root = rootIn(jws);
  if (root === undefined || (await thumbprintOf(root).catch(() => '')) !== kid)
    throw new TrustError('key-unknown', jws.subject, `key ${kid}`);
  return parse('key-set', jws, await verifySignature(jws, root), checkForm);
}

/** Returns the root key that a key set names. Before the signature is verified, the rest is not looked at. */
function rootIn({ text }: ReceivedJws): PublicKey | undefined {
  const [, payload = ''] = text.split('.');
  try {
    const { root } = JSON.parse(new TextDecoder().decode(base64url.decode(payload))) as { root?: PublicKey }; // its thumbprint is compared
    return root;
  } catch {
    return undefined;
  }
}

/** Verifies the timestamp of a site. @throws TrustError */
export async function verifyTimestamp(
  jws: ReceivedJws,
  keySet: KeySet,
  options: VerifyOptions,
): Promise<Timestamp> {
  const timestamp = await verifyCurrent('timestamp', jws, keySet, options);
  const { as_of: asOf, expires } = timestamp;
  if (options.nowMs >= toMs(expires))
    throw new TrustError('timestamp-expired', jws.subject, `on ${expires}; release ${timestamp.sequence}`);
  if (options.nowMs + CLOCK_TOLERANCE_MS < toMs(asOf))
    throw new TrustError('timestamp-early', jws.subject, `signed at ${asOf}`);
  return timestamp;
}

/** Verifies the statement about the current release. @throws TrustError */
export function verifyStatement(
  jws: ReceivedJws,
  keySet: KeySet,
  options: VerifyOptions,
): Promise<ReleaseStatement> {
  return verifyCurrent('release-statement', jws, keySet, options);
}

/**
 * Verifies the statement about an earlier release. Its key may have expired or been revoked since: that the release belongs
 * to the history follows from the current one, which names its digest.
 * @throws TrustError
 */
export async function verifyPastStatement(
  jws: ReceivedJws,
  keySet: KeySet,
  { checkForm }: Pick<VerifyOptions, 'checkForm'>,
): Promise<ReleaseStatement> {
  const key = findKey(keySet, keyIdOf(jws, 'release-statement'), jws.subject);
  return verifyBy(key, 'release-statement', jws, { keySet, checkForm });
}

async function verifyCurrent<N extends 'timestamp' | 'release-statement'>(
  name: N,
  jws: ReceivedJws,
  keySet: KeySet,
  { checkForm, nowMs }: VerifyOptions,
): Promise<TrustDocuments[N]> {
  const key = currentKey(keySet, keyIdOf(jws, name), { subject: jws.subject, nowMs });
  return verifyBy(key, name, jws, { keySet, checkForm });
}

/** Returns the key with this id if it may sign at this time. @throws TrustError 'key-unknown', 'key-revoked', 'key-expired' */
export function currentKey(
  keySet: KeySet,
  kid: string,
  { subject, nowMs }: Pick<ReceivedJws, 'subject'> & Pick<VerifyOptions, 'nowMs'>,
): ReleaseKey {
  const key = findKey(keySet, kid, subject);
  if (key.revoked !== null) throw new TrustError('key-revoked', subject, `key ${kid}: ${key.revoked.reason}`);
  if (!isValidAt(key, nowMs))
    throw new TrustError('key-expired', subject, `key ${kid}: ${key.valid_from} to ${key.valid_until}`);
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
  { kid, jwk }: ReleaseKey,
  name: N,
  jws: ReceivedJws,
  { keySet, checkForm }: { readonly keySet: KeySet; readonly checkForm: CheckForm },
): Promise<TrustDocuments[N]> {
  if ((await thumbprintOf(jwk)) !== kid) throw new TrustError('key-unknown', jws.subject, `key ${kid}`);
  const document = parse(name, jws, await verifySignature(jws, jwk), checkForm);
  assertSite(jws.subject, document.site, keySet.site);
  return document;
}

function parse<N extends TrustDocumentName>(
  name: N,
  { subject }: ReceivedJws,
  payload: Uint8Array,
  checkForm: CheckForm,
): TrustDocuments[N] {
  try {
    return checkForm(name, JSON.parse(new TextDecoder().decode(payload)));
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
