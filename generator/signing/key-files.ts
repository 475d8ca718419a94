import { generateKeyPairSync } from 'node:crypto';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { readKeySet } from '../../schemas/trust/verify-documents.js';
import type { KeySet } from '../../schemas/types.generated.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import { GeneratorError } from '../core/generator-error.js';
import type { NamedKey } from '../core/trust/key-set.js';
import { openFileSigner, readPublicKey } from './file-signer.js';
import { openKmsKey } from './open-signer.js';
import type { Signer } from './signer.js';
import { checkForm } from './stored-key-set.js';

/** With `dryRun`, nothing is written, and a new key is in memory only. */
type CreateOptions = { readonly dryRun: boolean };

/** Opens the private key in a file. Creates a missing file with a new Ed25519 key, readable only by its owner. */
export async function openOrCreateKey(file: string, { dryRun }: CreateOptions): Promise<Signer> {
  if (await exists(file)) return openFileSigner(file);
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  if (!dryRun) await writeNew(file, pem.toString());
  return openFileSigner(file, pem.toString());
}

/**
 * Returns the public part of a release key: `kms:KEY-ID`, or a file with the private key, which is created if it does not exist,
 * or with the public key, so that a machine without network can list a key of KMS.
 */
export async function openReleaseKey(address: string, options: CreateOptions): Promise<NamedKey> {
  if (address.startsWith('kms:')) return openKmsKey(address);
  if (!(await exists(address))) return openOrCreateKey(address, options);
  const jwk = await readPublicKey(address);
  return { jwk, kid: await thumbprintOf(jwk) };
}

/** A key set in a file, and its signed text. */
export type KeySetFile = { readonly text: string; readonly value: KeySet };

/** Reads a key set in a file, which must be signed by the root key it contains. @throws GeneratorError 'usage' */
export async function readKeySetFile(file: string): Promise<KeySetFile> {
  let text;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new GeneratorError('usage', `The key set ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  try {
    return { text, value: await readKeySet({ text, subject: file }, checkForm) };
  } catch (error) {
    if (error instanceof TrustError) throw new GeneratorError('usage', error.message, { cause: error });
    throw error;
  }
}

/** Writes a new file. @throws GeneratorError 'usage' if it exists or cannot be written */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new GeneratorError('usage', `${file} was not written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Replaces a file as a whole. @throws GeneratorError 'usage' if it cannot be written */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  try {
    await writeFile(next, text);
    await rename(next, file);
  } catch (error) {
    throw new GeneratorError('usage', `${file} was not written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
