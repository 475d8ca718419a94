import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Contract } from '../../../schemas/types.generated.js';
import { assertValid, SchemaError } from '../../../schemas/validate.js';
import type { Etag, ObjectMeta, ObjectStore } from '../../../infra/store/object-store.js';
import { OperatorError } from '../../core/exit-codes.js';

/** The schemas of the documents in the accounts store. */
type AccountSchema = 'account' | 'key-record' | 'key-usage';

/** A document with its etag. */
export type StoredDocument<N extends AccountSchema> = {
  readonly value: NonNullable<Contract[N]>;
  readonly etag: Etag;
};

/** Metadata of every document in the accounts store. */
export const DOCUMENT_META: ObjectMeta = { contentType: 'application/json', cacheControl: 'no-store' };

/**
 * Reads a document and validates it; `undefined` if it does not exist.
 * @throws OperatorError 'damaged' with its key when it is not valid.
 */
export async function readDocument<N extends AccountSchema>(
  store: ObjectStore,
  key: string,
  schema: N,
): Promise<StoredDocument<N> | undefined> {
  const found = await store.get(key);
  return found && { value: parseDocument(key, schema, found.bytes), etag: found.etag };
}

/** Returns the bytes of a document. @throws SchemaError for a value that is not valid, which is a bug of the caller. */
export function writeDocument<N extends AccountSchema>(
  schema: N,
  value: NonNullable<Contract[N]>,
): Uint8Array {
  return Buffer.from(canonicalJson(assertValid(schema, value)));
}

/** Creates the error of a damaged document. The message does not repeat any of its content. */
export function damaged(key: string, fault: string): OperatorError {
  return new OperatorError('damaged', `${key} ${fault}. Restore an older version of it.`);
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
    if (error instanceof SyntaxError) throw damaged(key, 'is not JSON'); // the message of the SyntaxError quotes the content
    throw error;
  }
}
