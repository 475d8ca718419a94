import { createPublicKey, verify } from 'node:crypto';
import type { Signer } from '../../generator/signing/signer.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import { currentKey, type VerifyOptions } from '../../schemas/trust/verify-documents.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { KeySet, PublicKey } from '../../schemas/types.generated.js';

/** Media type of in-toto statements in JSON. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** A signed payload in the form of DSSE 1.0. */
export type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
};

/** Returns the bytes that are signed: the pre-authentication encoding of DSSE 1.0. */
export function encodeForSigning(payloadType: string, payload: Uint8Array): Uint8Array {
  const typeBytes = Buffer.byteLength(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${typeBytes} ${payloadType} ${payload.length} `),
    Buffer.from(payload),
  ]);
}

/** Signs a statement. The envelope is verified before it is returned. @throws Error if the signature is wrong */
export async function sealStatement(statement: object, { kid, jwk, sign }: Signer): Promise<string> {
  const payload = Buffer.from(canonicalJson(statement));
  const signed = encodeForSigning(PAYLOAD_TYPE, payload);
  const signature = await sign(signed);
  if (!isSignedBy(jwk, signed, signature)) throw new Error(`key ${kid} has made a wrong signature`);
  const envelope: Envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: kid, sig: Buffer.from(signature).toString('base64') }],
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** A statement of which the signature was verified, and the id of the key. */
type OpenedStatement = { readonly statement: unknown; readonly kid: string };

/**
 * Verifies an envelope with one signature, by a key that may sign now. `subject` names it in messages.
 * @throws TrustError 'jws-malformed', 'jws-kind', 'jws-altered', 'key-unknown', 'key-revoked', 'key-expired'
 */
export async function openEnvelope(
  text: string,
  keySet: KeySet,
  { subject, nowMs }: { readonly subject: string } & Pick<VerifyOptions, 'nowMs'>,
): Promise<OpenedStatement> {
  const { payloadType, payload, signatures } = parseEnvelope(text, subject);
  if (payloadType !== PAYLOAD_TYPE) throw new TrustError('jws-kind', subject, `payloadType ${payloadType}`);
  const [{ keyid: kid, sig } = { keyid: '', sig: '' }] = signatures;
  const { jwk } = currentKey(keySet, kid, { subject, nowMs });
  if ((await thumbprintOf(jwk)) !== kid) throw new TrustError('key-unknown', subject, `key ${kid}`);
  const bytes = Buffer.from(payload, 'base64');
  if (!isSignedBy(jwk, encodeForSigning(payloadType, bytes), Buffer.from(sig, 'base64')))
    throw new TrustError('jws-altered', subject);
  return { statement: JSON.parse(bytes.toString()), kid };
}

function parseEnvelope(text: string, subject: string): Envelope {
  try {
    const { payloadType, payload, signatures } = JSON.parse(text) as Partial<Envelope>; // checked next
    const [signature, other] = signatures ?? [];
    const isBase64 = [payload, signature?.sig].every((each) => each !== undefined && BASE64.test(each));
    if (typeof payloadType === 'string' && payload !== undefined && signature !== undefined && isBase64)
      if (typeof signature.keyid === 'string' && other === undefined)
        return { payloadType, payload, signatures: [signature] };
  } catch (cause) {
    throw new TrustError('jws-malformed', subject, '', { cause });
  }
  throw new TrustError('jws-malformed', subject, 'not an envelope with one signature');
}

/** Verifies a signature with Ed25519 (RFC 8032), or ECDSA as `r` and `s` (as in the test vector of DSSE). */
function isSignedBy(jwk: PublicKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  return jwk.crv === 'Ed25519'
    ? verify(null, bytes, key, signature)
    : verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
