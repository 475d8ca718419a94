import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { assertValid, SchemaError, type SchemaName } from '../../schemas/validate.js';
import type { Contract } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { findForeignNames } from '../core/verification/foreign-names.js';

/** A document of the store, and the etag at which it was read. */
type StoredJson<N extends SchemaName> = {
  readonly value: NonNullable<Contract[N]>;
  readonly etag: Etag;
};

/**
 * Reads and validates a document; `undefined` if the key does not exist.
 * @throws GeneratorError 'damaged' if it does not match its schema.
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
 * Reads and validates the artifact with this digest.
 * @throws GeneratorError 'damaged' if it is missing, or does not match its digest or schema.
 */
export async function readArtifactJson<N extends SchemaName>(
  store: ObjectStore,
  sha256: string,
  schema: N,
): Promise<NonNullable<Contract[N]>> {
  return parseStored(objectKey(sha256), schema, await readArtifact(store, sha256));
}

/** Reads the artifact with this digest. @throws GeneratorError 'damaged' if it is missing or does not match its digest. */
export async function readArtifact(store: ObjectStore, sha256: string): Promise<Uint8Array> {
  return readByDigest(store, objectKey(sha256), sha256);
}

/** Reads a key whose bytes must have this digest. @throws GeneratorError 'damaged' if it is missing or does not match. */
export async function readByDigest(store: ObjectStore, key: string, sha256: string): Promise<Uint8Array> {
  return assertDigest(key, sha256, (await store.get(key))?.bytes);
}

/** Returns the bytes read from a key if they have this digest. @throws GeneratorError 'damaged' otherwise. */
export function assertDigest(key: string, sha256: string, bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw damaged(key, 'is missing');
  if (sha256Hex(bytes) !== sha256) throw damaged(key, 'has other bytes than its digest says');
  return bytes;
}

/**
 * Parses the bytes of a key and checks them, because another program may have written them.
 * @throws GeneratorError 'damaged' if they do not match the schema, or name a path or a day schema that no release has.
 */
export function parseStored<N extends SchemaName>(
  key: string,
  schema: N,
  bytes: Uint8Array,
): NonNullable<Contract[N]> {
  const text = Buffer.from(bytes).toString('utf8');
  const document = parseValid(key, schema, text);
  const [fault] = findForeignNames(schema, document);
  if (fault !== undefined) throw damaged(key, fault);
  if (SURROGATE.test(text)) assertWritable(key, document);
  return document;
}

/** An escaped surrogate, which may be a lone one. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

function parseValid<N extends SchemaName>(key: string, schema: N, text: string): NonNullable<Contract[N]> {
  try {
    return assertValid(schema, JSON.parse(text));
  } catch (error) {
    if (error instanceof SchemaError || error instanceof SyntaxError)
      throw damaged(key, error.message, error);
    throw error;
  }
}

/** Passes if the document can be published again: a lone surrogate cannot. */
function assertWritable(key: string, document: unknown): void {
  try {
    canonicalJson(document);
  } catch (error) {
    throw damaged(key, error instanceof Error ? error.message : 'cannot be written', error);
  }
}

/** Returns the error for a damaged key. `what` completes the sentence that begins with the key. */
export function damaged(key: string, what: string, cause?: unknown): GeneratorError {
  const fault = { key, message: what };
  return new GeneratorError('damaged', `${key} ${what}. Run "generator verify" to list all faults.`, {
    cause,
    fault,
  });
}
