import { createECDH, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { sha256Bytes } from '../../schemas/digest.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { PublicKey } from '../../schemas/types.generated.js';
import type { Signer } from '../../generator/signing/signer.js';

/**
 * TEST KEYS. Everybody can compute them: the private key of each is the SHA-256 of a text that is written here. Never use
 * them for anything but tests.
 */
const TEST_KEYS = {
  root: 'Ed25519',
  'release-a': 'Ed25519',
  'release-b': 'Ed25519',
  /** In every key set, and no longer valid. */
  retired: 'Ed25519',
  /** In every key set, and not yet valid. */
  next: 'Ed25519',
  /** In no key set. */
  stranger: 'Ed25519',
  'stranger-root': 'Ed25519',
  'p256-root': 'P-256',
  'p256-release': 'P-256',
} as const satisfies Record<string, PublicKey['crv']>;

export type TestKeyName = keyof typeof TEST_KEYS;

/** Start of an Ed25519 private key in PKCS#8 (RFC 8410); the 32 bytes of the key follow. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the signer of a test key. Ed25519 signatures are the same at every call, those of P-256 are not. */
export async function testSigner(name: TestKeyName): Promise<Signer> {
  const secret = sha256Bytes(`chain-reference-data test key, not secret: ${name}`);
  return TEST_KEYS[name] === 'Ed25519' ? ed25519Signer(secret) : p256Signer(secret);
}

async function ed25519Signer(secret: Uint8Array): Promise<Signer> {
  const der = Buffer.concat([PKCS8_ED25519, secret]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const jwk: PublicKey = { kty: 'OKP', crv: 'Ed25519', x };
  return { jwk, kid: await thumbprintOf(jwk), sign: (bytes) => Promise.resolve(sign(null, bytes, key)) };
}

async function p256Signer(secret: Uint8Array): Promise<Signer> {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = pair.getPublicKey(); // 4, x, y
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const jwk: PublicKey = { kty: 'EC', crv: 'P-256', x, y };
  const d = Buffer.from(secret).toString('base64url');
  const key = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' });
  return {
    jwk,
    kid: await thumbprintOf(jwk),
    sign: (bytes) => Promise.resolve(sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })),
  };
}
