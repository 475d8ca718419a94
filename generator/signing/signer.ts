import { base64url } from 'jose';
import { canonicalJson } from '../../schemas/canonical-json.js';
import {
  TRUST_TYPES,
  type TrustDocumentName,
  type TrustDocuments,
} from '../../schemas/trust/trust-documents.js';
import { ALGORITHMS, verifySignature } from '../../schemas/trust/verify-jws.js';
import type { PublicKey } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';

/** A private key that signs: in a file, or in a service that does not release it. */
export type Signer = {
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  readonly jwk: PublicKey;
  /** Returns the 64 bytes of a signature: Ed25519 (RFC 8032), or `r` and `s` of ECDSA (RFC 7518 §3.4). */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
};

/** Returns a document as a compact JWS (RFC 7515). Its signature is verified before it is returned. */
export async function signDocument<N extends TrustDocumentName>(
  { kid, jwk, sign }: Signer,
  name: N,
  document: TrustDocuments[N],
): Promise<string> {
  const payload = canonicalJson(assertValid(name, document));
  const header = canonicalJson({ alg: ALGORITHMS[jwk.crv], kid, typ: TRUST_TYPES[name] });
  const input = `${base64url.encode(header)}.${base64url.encode(payload)}`;
  const text = `${input}.${base64url.encode(await sign(new TextEncoder().encode(input)))}`;
  await verifySignature({ text, subject: `the signature of key ${kid}`, alg: ALGORITHMS[jwk.crv] }, jwk);
  return text;
}
