import { generateKeyPairSync } from 'node:crypto';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { readKeySet } from '../../schemas/trust/verify-documents.js';
import type { KeySet } from '../../schemas/types.generated.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import { GeneratorError } from '../core/generator-error.js';
import { openFileSigner } from './file-signer.js';
import { openKmsSigner } from './kms-signer.js';
import { parseKmsKey } from './open-signer.js';
import type { Signer } from './signer.js';
import { checkForm } from './stored-key-set.js';

/** A key that was opened. `isNew` is true if it was made for this. */
export type OpenedKey = { readonly signer: Signer; readonly isNew: boolean };

/**
 * Opens a key by its file or `kms:KEY-ID`. A file that does not exist is made with a new Ed25519 key, which only its owner can
 * read; with `dryRun`, nothing is written and the new key is in memory only.
 */
export async function openOrMakeKey(
  address: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<OpenedKey> {
  if (address.startsWith('kms:')) return { signer: await openKmsSigner(parseKmsKey(address)), isNew: false };
  if (await exists(address)) return { signer: await openFileSigner(address), isNew: false };
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  if (!dryRun) await writeNew(address, pem.toString());
  return { signer: await openFileSigner(address, pem.toString()), isNew: true };
}

/** A key set in a file, and its signed text. */
export type KeySetFile = { readonly text: string; readonly value: KeySet };

/** Reads a key set in a file, whose signature must be its own root key's. @throws GeneratorError 'usage' */
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
