import {
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  errors,
  importJWK,
  type CompactJWSHeaderParameters,
} from 'jose';
import type { PublicKey } from '../types.generated.js';
import { TRUST_TYPES, type TrustDocumentName } from './trust-documents.js';
import { TrustError } from './trust-error.js';

/** The one signature algorithm of each kind of key (RFC 7518, RFC 8037). */
export const ALGORITHMS = { Ed25519: 'EdDSA', 'P-256': 'ES256' } as const;

const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
/** A signature by either algorithm: 64 bytes. */
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;

/** A signed document that was received, and the place that it is expected in, for messages. */
export type ReceivedJws = { readonly text: string; readonly subject: string };

/** Returns the id of the key in the header of a signed document. @throws TrustError 'jws-malformed', 'jws-kind', 'jws-algorithm' */
export function keyIdOf({ text, subject }: ReceivedJws, name: TrustDocumentName): string {
  const { kid, typ, alg, ...others } = readHeader({ text, subject });
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TrustError('jws-malformed', subject, `the header has ${quote(other)}`);
  if (typ !== TRUST_TYPES[name]) throw new TrustError('jws-kind', subject, `typ ${quote(typ)}`);
  if (!Object.values<unknown>(ALGORITHMS).includes(alg))
    throw new TrustError('jws-algorithm', subject, `alg ${quote(alg)}`);
  if (typeof kid !== 'string' || !THUMBPRINT.test(kid))
    throw new TrustError('jws-malformed', subject, `kid ${quote(kid)}`);
  return kid;
}

/** Returns a value that nobody has signed as a text for a message: as JSON, without control characters. */
function quote(value: unknown): string {
  return value === undefined
    ? 'missing'
    : JSON.stringify(value)
        .replace(/[^ -~]/g, '?')
        .slice(0, 100);
}

function readHeader({ text, subject }: ReceivedJws): Partial<CompactJWSHeaderParameters> {
  try {
    if (text.split('.').length !== 3) throw new TypeError('not three parts');
    return decodeProtectedHeader(text);
  } catch (error) {
    throw new TrustError('jws-malformed', subject, '', { cause: error });
  }
}

/** Verifies the signature by exactly this key, and returns the signed bytes. @throws TrustError 'jws-altered', 'jws-algorithm', 'jws-malformed' */
export async function verifySignature({ text, subject }: ReceivedJws, jwk: PublicKey): Promise<Uint8Array> {
  const algorithm = ALGORITHMS[jwk.crv];
  const { alg } = readHeader({ text, subject });
  if (alg !== algorithm) throw new TrustError('jws-algorithm', subject, `alg ${quote(alg)}`);
  const [, , signature = ''] = text.split('.');
  if (!SIGNATURE.test(signature))
    throw new TrustError('jws-malformed', subject, 'its signature is not 64 bytes');
  try {
    const { payload } = await compactVerify(text, await importJWK({ ...jwk }, algorithm), {
      algorithms: [algorithm],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new TrustError('jws-altered', subject, '', { cause: error });
    throw new TrustError('jws-malformed', subject, '', { cause: error });
  }
}

/** Returns the SHA-256 thumbprint of a public key (RFC 7638) in Base64url. */
export function thumbprintOf(jwk: PublicKey): Promise<string> {
  return calculateJwkThumbprint({ ...jwk }, 'sha256');
}
