import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { openFileSigner } from './file-signer.js';
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
