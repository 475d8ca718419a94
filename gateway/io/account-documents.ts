import { canonicalJson } from '../../schemas/canonical-json.js';
import type { Contract } from '../../schemas/types.generated.js';
import { assertValid, SchemaError } from '../../schemas/validate.js';
import type { Etag, ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import { OperatorError } from '../core/exit-codes.js';

/** The kinds of documents in the accounts store, by schema. */
export type AccountSchema = 'account' | 'key-record' | 'key-usage';

/** A document with the etag that it was read at. */
export type StoredDocument<N extends AccountSchema> = {
  readonly value: NonNullable<Contract[N]>;
  readonly etag: Etag;
};

/** What every document of the accounts store is written with: nobody else may keep one. */
export const DOCUMENT_META: ObjectMeta = { contentType: 'application/json', cacheControl: 'no-store' };

/**
 * Reads a document and judges it by its schema; `undefined` when there is no such key.
 * @throws OperatorError 'damaged' naming the key when it is not what the schema says.
 */
export async function readDocument<N extends AccountSchema>(
  store: ObjectStore,
  key: string,
  schema: N,
): Promise<StoredDocument<N> | undefined> {
  const found = await store.get(key);
  return found && { value: parseDocument(key, schema, found.bytes), etag: found.etag };
}

/** The bytes of a document. @throws SchemaError for a value that breaks its schema: the caller broke a precondition. */
export function writeDocument<N extends AccountSchema>(
  schema: N,
  value: NonNullable<Contract[N]>,
): Uint8Array {
  return Buffer.from(canonicalJson(assertValid(schema, value)));
}

/** What to say of a document that is not as it should be. What it holds is not repeated. */
export function damaged(key: string, what: string): OperatorError {
  return new OperatorError('damaged', `${key} ${what}; restore it from a backup or an older version`);
}

function parseDocument<N extends AccountSchema>(
  key: string,
  schema: N,
  bytes: Uint8Array,
): NonNullable<Contract[N]> {
  try {
    return assertValid(schema, JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (error instanceof SchemaError) throw damaged(key, `is ${error.message}`);
    if (error instanceof SyntaxError) throw damaged(key, 'is not JSON'); // its message has the bytes in it
    throw error;
  }
}
