import { base64url, calculateJwkThumbprint, compactVerify, errors, importJWK } from 'jose';
import { canonicalJson } from '../canonical-json.js';
import type { PublicKey } from '../types.generated.js';
import { parseStrict } from './strict-json.js';
import { MAX_SIGNED_BYTES, TRUST_TYPES, type TrustDocumentName } from './trust-documents.js';
import { TrustError } from './trust-error.js';

/** The one signature algorithm of each kind of key (RFC 7518, RFC 8037). */
export const ALGORITHMS = { Ed25519: 'EdDSA', 'P-256': 'ES256' } as const;

const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
const SIGNATURE_BYTES = 64; // of both algorithms

/** A signed document that was received, and the place that it is expected in, for messages. */
export type ReceivedJws = { readonly text: string; readonly subject: string };

/** A signed document whose form was checked, but not its signature. */
export type OpenedJws = ReceivedJws & {
  readonly kid: string;
  readonly alg: string;
  /** What it says, if the signature is true. */
  readonly content: unknown;
};

/** Returns received bytes as a signed document. A byte that is not ASCII becomes a character that no signed document has. */
export function toReceived(bytes: Uint8Array, subject: string): ReceivedJws {
  return { text: new TextDecoder('latin1').decode(bytes), subject };
}

/**
 * Reads JSON that must be canonical (RFC 8785): then it has no second form, such as with a repeated member or in another
 * encoding. `undefined` for any other bytes.
 */
export function parseCanonical(bytes: Uint8Array): unknown {
  const parsed = parseStrict(bytes);
  if (parsed === undefined) return undefined;
  try {
    return canonicalJson(parsed.value) === parsed.text ? parsed.value : undefined;
  } catch {
    return undefined; // it has half of a character, which no canonical JSON contains
  }
}

/**
 * Checks the form of a signed document: its length, three parts in canonical Base64url, a header of exactly `alg`, `kid` and
 * `typ`, and canonical JSON in header and payload.
 * @throws TrustError 'jws-malformed', 'jws-kind', 'jws-algorithm'
 */
export function openJws({ text, subject }: ReceivedJws, name: TrustDocumentName): OpenedJws {
  const malformed = (detail: string): TrustError => new TrustError('jws-malformed', subject, detail);
  if (text.length > MAX_SIGNED_BYTES) throw malformed(`it has more than ${MAX_SIGNED_BYTES} bytes`);
  const [header, payload, signature, ...more] = text.split('.').map(decodePart);
  if (!header || !payload || !signature || more.length > 0)
    throw malformed('it is not three parts in Base64url');
  const members = parseCanonical(header);
  if (!isRecord(members)) throw malformed('the header is not an object in canonical JSON');
  const { kid, typ, alg, ...others } = members;
  const [other] = Object.keys(others);
  if (other !== undefined) throw malformed(`the header has ${quote(other)}`);
  if (typ !== TRUST_TYPES[name]) throw new TrustError('jws-kind', subject, `typ ${quote(typ)}`);
  if (typeof alg !== 'string' || !Object.values<string>(ALGORITHMS).includes(alg))
    throw new TrustError('jws-algorithm', subject, `alg ${quote(alg)}`);
  if (typeof kid !== 'string' || !THUMBPRINT.test(kid)) throw malformed(`kid ${quote(kid)}`);
  const content = parseCanonical(payload);
  if (content === undefined) throw malformed('the payload is not canonical JSON');
  return { text, subject, kid, alg, content };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the bytes of a part of a signed document; `undefined` if they are not in canonical Base64url (RFC 4648 §3.5). */
function decodePart(part: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(part)) return undefined;
  try {
    const bytes = base64url.decode(part);
    return base64url.encode(bytes) === part ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value that nobody has signed as a text for a message: as JSON, without control characters. */
function quote(value: unknown): string {
  return value === undefined
    ? 'missing'
    : JSON.stringify(value)
        .replace(/[^ -~]/g, '?')
        .slice(0, 100);
}

/** Passes if exactly this key has signed a document. @throws TrustError 'jws-altered', 'jws-algorithm', 'jws-malformed' */
export async function verifySignature(
  { text, subject, alg }: Omit<OpenedJws, 'content' | 'kid'>,
  jwk: PublicKey,
): Promise<void> {
  const algorithm = ALGORITHMS[jwk.crv];
  if (alg !== algorithm) throw new TrustError('jws-algorithm', subject, `alg ${quote(alg)}`);
  if (decodePart(text.slice(text.lastIndexOf('.') + 1))?.length !== SIGNATURE_BYTES)
    throw new TrustError('jws-malformed', subject, `its signature is not ${SIGNATURE_BYTES} bytes`);
  try {
    await compactVerify(text, await importJWK({ ...jwk }, algorithm), { algorithms: [algorithm] });
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
