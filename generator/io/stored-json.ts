import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { assertValid, SchemaError, type SchemaName } from '../../schemas/validate.js';
import type { Contract } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';

/** A document of the store with the etag that it was read at. */
export type StoredJson<N extends SchemaName> = {
  readonly value: NonNullable<Contract[N]>;
  readonly etag: Etag;
};

/**
 * Reads a document and judges it by its schema; `undefined` when there is no such key.
 * @throws GeneratorError 'damaged' when it is not what the schema says.
 */
export async function readStoredJson<N extends SchemaName>(
  store: ObjectStore,
  key: string,
  schema: N,
): Promise<StoredJson<N> | undefined> {
  const found = await store.get(key);
  return found && { value: parseStored(key, schema, found.bytes), etag: found.etag };
}

/**
 * Reads the artifact with this digest as a document.
 * @throws GeneratorError 'damaged' when it is missing, or its bytes have another digest.
 */
export async function readArtifactJson<N extends SchemaName>(
  store: ObjectStore,
  sha256: string,
  schema: N,
): Promise<NonNullable<Contract[N]>> {
  return parseStored(objectKey(sha256), schema, await readArtifact(store, sha256));
}

/** Reads the artifact with this digest. @throws GeneratorError 'damaged' when it is missing or has another digest. */
export async function readArtifact(store: ObjectStore, sha256: string): Promise<Uint8Array> {
  return readByDigest(store, objectKey(sha256), sha256);
}

/** Reads a key whose bytes must have this digest. @throws GeneratorError 'damaged' otherwise. */
export async function readByDigest(store: ObjectStore, key: string, sha256: string): Promise<Uint8Array> {
  const found = await store.get(key);
  if (found === undefined) throw damaged(key, 'is missing');
  if (sha256Hex(found.bytes) !== sha256) throw damaged(key, 'has other bytes than its digest says');
  return found.bytes;
}

/** Parses the bytes of a key. @throws GeneratorError 'damaged' when they are not what the schema says. */
export function parseStored<N extends SchemaName>(
  key: string,
  schema: N,
  bytes: Uint8Array,
): NonNullable<Contract[N]> {
  try {
    return assertValid(schema, JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (error instanceof SchemaError || error instanceof SyntaxError)
      throw damaged(key, error.message, error);
    throw error;
  }
}

/** What to say of a key of the store that is not as it should be. */
export function damaged(key: string, what: string, cause?: unknown): GeneratorError {
  const fault = { key, message: what };
  return new GeneratorError('damaged', `${key} ${what}; run "generator verify" to see all faults`, {
    cause,
    fault,
  });
}
