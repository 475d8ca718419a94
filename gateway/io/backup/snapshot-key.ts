import { readFile } from 'node:fs/promises';
import { base64url, calculateJwkThumbprint } from 'jose';
import { codeOf } from '../../../infra/store/system-error.js';
import { OperatorError, RUN_AGAIN } from '../../core/exit-codes.js';

/** A key of 256 bits. `id` is its thumbprint (RFC 7638), which does not reveal it; `text` is its secret part as it is in the file. */
export type SnapshotKey = { readonly id: string; readonly bytes: Uint8Array; readonly text: string };

const KEY_BYTES = 32;

/**
 * Reads a key from a file: 32 bytes in base64 or base64url, or a JSON Web Key of the type `oct`.
 * @throws OperatorError 'usage', which does not repeat the content.
 */
export async function readSnapshotKey(file: string): Promise<SnapshotKey> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw invalidKey(file, `cannot be read (${code})`);
  });
  const secret = secretOf(text.trim());
  const isBase64 = secret !== undefined && /^[\w+/-]{43}=?$/.test(secret);
  const bytes = isBase64 ? Uint8Array.from(Buffer.from(secret, 'base64')) : new Uint8Array();
  if (secret === undefined || bytes.length !== KEY_BYTES) {
    throw invalidKey(
      file,
      'does not contain 32 bytes in base64, or a JSON Web Key of the type oct with them',
    );
  }
  const id = await calculateJwkThumbprint({ kty: 'oct', k: base64url.encode(bytes) });
  return { id, bytes, text: secret };
}

/** Returns the text of the bytes. A JSON Web Key has them in the member `k`. */
function secretOf(text: string): string | undefined {
  if (!text.startsWith('{')) return text;
  try {
    const { kty, k } = JSON.parse(text) as Record<string, unknown>;
    return kty === 'oct' && typeof k === 'string' ? k : undefined;
  } catch {
    return undefined;
  }
}

function invalidKey(file: string, fault: string): OperatorError {
  return new OperatorError(
    'usage',
    `--key-file ${file} ${fault}. Create a key with: (umask 077; openssl rand -base64 32 > ${file})`,
    { next: RUN_AGAIN },
  );
}
