import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { PublicKey } from '../../schemas/types.generated.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Signer } from './signer.js';

/** The variables of the environment for signing releases: the key, and the trust anchor of the site. */
export type SigningVariables = {
  readonly CRD_SIGNING_KEY_FILE?: string | undefined;
  readonly CRD_SIGNING_KEY?: string | undefined;
  /** What the readers of the store trust, `SITE#THUMBPRINT`; without it, the key set in the store is believed. */
  readonly CRD_SIGNING_TRUST?: string | undefined;
};

/** Opens the key for signing releases; `undefined` if no variable names one. @throws GeneratorError 'usage', 'store-unavailable' */
export async function openSigner({
  CRD_SIGNING_KEY_FILE: file,
  CRD_SIGNING_KEY: key,
}: SigningVariables): Promise<Signer | undefined> {
  if (file !== undefined && key !== undefined)
    throw new GeneratorError('usage', 'Set CRD_SIGNING_KEY_FILE or CRD_SIGNING_KEY, not both.', {
      next: RUN_AGAIN,
    });
  if (file !== undefined) return openFileSigner(file);
  return key === undefined ? undefined : openKmsKey(key);
}

/** Opens the key `kms:KEY-ID`. @throws GeneratorError 'usage' for any other text, 'store-unavailable' */
export async function openKmsKey(address: string): Promise<Signer> {
  const id = parseKmsKey(address);
  const { openKmsSigner } = await import('./kms-signer.js'); // loading the SDK takes longer than most commands
  return openKmsSigner(id);
}

/** Returns the id of the key in `kms:KEY-ID`. @throws GeneratorError 'usage' for any other text */
function parseKmsKey(text: string): string {
  const [, id] = /^kms:(\S+)$/.exec(text) ?? [];
  if (id !== undefined) return id;
  throw new GeneratorError(
    'usage',
    'CRD_SIGNING_KEY is not a key of KMS. Write kms:KEY-ID; for a key in a file, use CRD_SIGNING_KEY_FILE.',
  );
}

/**
 * Opens a private key in a file, or its text if that is known: PKCS#8 in PEM, or a JWK; Ed25519 or P-256.
 * @throws GeneratorError 'usage' if the file cannot be read or has no such key
 */
export async function openFileSigner(file: string, text?: string): Promise<Signer> {
  const key = parsePrivateKey(text ?? (await readKeyFile(file)), file);
  const jwk = toPublicKey(createPublicKey(key), file);
  return {
    jwk,
    kid: await thumbprintOf(jwk),
    sign: (bytes) =>
      Promise.resolve(
        jwk.crv === 'Ed25519'
          ? sign(null, bytes, key)
          : sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
      ),
  };
}

/** Reads the public key of a file that has a public or a private key: in PEM, or a JWK. @throws GeneratorError 'usage' */
export async function readPublicKey(file: string): Promise<PublicKey> {
  const text = await readKeyFile(file);
  try {
    return toPublicKey(createPublicKey(toKeyInput(text)), file);
  } catch (error) {
    throw error instanceof GeneratorError ? error : keyFault(file, error);
  }
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new GeneratorError('usage', `The key file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
      next: RUN_AGAIN,
    });
  }
}

function parsePrivateKey(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(toKeyInput(text));
  } catch (error) {
    throw keyFault(file, error);
  }
}

/** Returns the argument of Node's key functions for a PEM or a JWK. @throws SyntaxError for a JWK that is not JSON */
function toKeyInput(text: string): string | { key: Record<string, string>; format: 'jwk' } {
  if (!text.trimStart().startsWith('{')) return text;
  return { key: JSON.parse(text) as Record<string, string>, format: 'jwk' }; // Node checks it
}

function toPublicKey(key: KeyObject, file: string): PublicKey {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  if (kty === 'OKP' && crv === 'Ed25519' && x !== undefined) return { kty, crv, x };
  if (kty === 'EC' && crv === 'P-256' && x !== undefined && y !== undefined) return { kty, crv, x, y };
  throw keyFault(file);
}

function keyFault(file: string, cause?: unknown): GeneratorError {
  return new GeneratorError(
    'usage',
    `${file} has no key for signing. Use an Ed25519 or P-256 key as PKCS#8 (PEM) or JWK; "generator keys init" creates one.`,
    { cause },
  );
}
