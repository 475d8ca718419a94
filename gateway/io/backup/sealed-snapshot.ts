import { compactDecrypt, CompactEncrypt, decodeProtectedHeader, errors } from 'jose';
import { sha256Hex } from '../../../schemas/digest.js';
import { OperatorError } from '../../core/exit-codes.js';
import { parseContent, writeContent, type SavedAccount } from './saved-account.js';
import type { SnapshotKey } from './snapshot-key.js';

const KIND = 'accounts-snapshot/';
/** The version of the snapshot format. */
const SCHEMA = 'accounts-snapshot/1';
const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const;
const CHANGED = 'was cut or changed after the export';

/** The description of a snapshot, readable without the key and protected against changes. */
export type SnapshotHeader = {
  readonly schema: typeof SCHEMA;
  /** Start of the export. */
  readonly created_at: string;
  readonly accounts: number;
  /** Number of active keys that work: a key without a record does not. */
  readonly keys: number;
  /** SHA-256 of the content before encryption. */
  readonly sha256: string;
};

/** Encrypts accounts as a compact JWE (RFC 7516) with A256GCM, compressed. */
export async function sealSnapshot(
  accounts: readonly SavedAccount[],
  createdAt: string,
  key: SnapshotKey,
): Promise<{ readonly header: SnapshotHeader; readonly text: string }> {
  const content = writeContent(accounts);
  const keys = accounts.reduce((sum, { records }) => sum + Object.keys(records).length, 0);
  const header: SnapshotHeader = {
    schema: SCHEMA,
    created_at: createdAt,
    accounts: accounts.length,
    keys,
    sha256: sha256Hex(content),
  };
  const text = await new CompactEncrypt(content)
    .setProtectedHeader({ ...ENCRYPTION, zip: 'DEF', cty: 'application/json', kid: key.id, ...header })
    .encrypt(key.bytes);
  return { header, text };
}

/**
 * Decrypts a snapshot and checks it completely. `place` is its name in messages.
 * @throws OperatorError 'usage' for another key or a later format, 'damaged' for anything else.
 */
export async function openSnapshot(
  text: string,
  place: string,
  key: SnapshotKey,
): Promise<{ readonly header: SnapshotHeader; readonly accounts: readonly SavedAccount[] }> {
  const header = readHeader(text, place, key);
  const content = await decrypt(text, place, key);
  if (sha256Hex(content) !== header.sha256) throw damagedSnapshot(place, 'does not match its own digest');
  try {
    return { header, accounts: parseContent(content) };
  } catch (error) {
    throw damagedSnapshot(place, `has content that is not valid: ${(error as Error).message}`);
  }
}

/** Returns whether a text begins as a snapshot of any version does, without its key. */
export function isSnapshot(beginning: string): boolean {
  const [header = ''] = beginning.split('.');
  const { schema } = decodeHeader(`${header}....`); // a compact JWE has five parts
  return typeof schema === 'string' && schema.startsWith(KIND);
}

async function decrypt(text: string, place: string, key: SnapshotKey): Promise<Uint8Array> {
  if (!text.split('.').every(isCanonicalBase64)) throw damagedSnapshot(place, CHANGED);
  try {
    const { plaintext } = await compactDecrypt(text, key.bytes, {
      keyManagementAlgorithms: [ENCRYPTION.alg],
      contentEncryptionAlgorithms: [ENCRYPTION.enc],
      maxDecompressedLength: Infinity, // only a holder of the key can write what passes decryption
    });
    return plaintext;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw damagedSnapshot(place, CHANGED);
    throw error;
  }
}

function readHeader(text: string, place: string, key: SnapshotKey): SnapshotHeader {
  const { schema, kid, ...header } = decodeHeader(text);
  if (typeof schema !== 'string' || !schema.startsWith(KIND))
    throw damagedSnapshot(place, 'is not a snapshot of accounts, or its beginning was changed');
  if (schema !== SCHEMA)
    throw new OperatorError(
      'usage',
      `${place} has the format ${schema}. Use the version of the gateway that wrote it.`,
    );
  if (kid !== key.id)
    throw new OperatorError(
      'usage',
      `${place} was encrypted with the key ${String(kid)}, and --key-file has the key ${key.id}. Use the other key.`,
    );
  const { created_at: createdAt, accounts, keys, sha256 } = header;
  if (
    typeof createdAt !== 'string' ||
    typeof accounts !== 'number' ||
    typeof keys !== 'number' ||
    typeof sha256 !== 'string'
  )
    throw damagedSnapshot(place, 'has a header that is not valid');
  return { schema, created_at: createdAt, accounts, keys, sha256 };
}

function decodeHeader(text: string): Record<string, unknown> {
  try {
    return decodeProtectedHeader(text);
  } catch {
    return {};
  }
}

/**
 * Returns whether a text is the one to which its bytes are encoded. Others decode to the same bytes: the last character has
 * unused bits, and decoders skip characters outside the alphabet.
 */
function isCanonicalBase64(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}

function damagedSnapshot(place: string, fault: string): OperatorError {
  return new OperatorError('damaged', `${place} ${fault}. Nothing was written. Use another copy of it.`);
}
