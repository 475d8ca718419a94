import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { assertPublished, findSchemaFaults, SchemaError, type SchemaName } from '../../schemas/validate.js';
import type { Contract } from '../../schemas/types.generated.js';
import {
  type Etag,
  MAX_OBJECT_BYTES,
  type ObjectMeta,
  type ObjectStore,
  type StoredObject,
} from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { findForeignNames } from '../core/verification/check-files.js';
import { cacheControlOf, dispositionOf } from '../../schemas/object-headers.js';
import { type Artifact, bodyOf, type Content, JSON_TYPE } from '../core/artifacts/artifact.js';
import { RENEWAL_AGE_MS } from './gc-policy.js';
import { maxBytesOf } from './read-limits.js';
import { retryWrite } from './retry-write.js';

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
  const found = await getDocument(store, key, schema);
  return found && { value: parseStored(key, schema, found.bytes), etag: found.etag };
}

/** Reads a document. One that is too large for its schema is read in part, and `parseStored` refuses that part. */
export function getDocument(
  store: ObjectStore,
  key: string,
  schema: SchemaName,
): Promise<StoredObject | undefined> {
  return store.get(key, maxBytesOf(schema) + 1);
}

/**
 * Reads and validates the artifact with this digest. `bytes` is the maximum of its size.
 * @throws GeneratorError 'damaged' if it is missing, or does not match its digest or schema.
 */
export async function readArtifactJson<N extends SchemaName>(
  store: ObjectStore,
  sha256: string,
  schema: N,
  bytes = maxBytesOf(schema),
): Promise<NonNullable<Contract[N]>> {
  return parseStored(objectKey(sha256), schema, await readArtifact(store, sha256, bytes));
}

/**
 * Reads the artifact with this digest, of at most `bytes`.
 * @throws GeneratorError 'damaged' if it is missing or does not match its digest.
 */
export async function readArtifact(
  store: ObjectStore,
  sha256: string,
  bytes = MAX_OBJECT_BYTES,
): Promise<Uint8Array> {
  return readByDigest(store, objectKey(sha256), sha256, bytes);
}

/**
 * Reads a key whose at most `bytes` must have this digest.
 * @throws GeneratorError 'damaged' if it is missing or does not match.
 */
export async function readByDigest(
  store: ObjectStore,
  key: string,
  sha256: string,
  bytes = MAX_OBJECT_BYTES,
): Promise<Uint8Array> {
  return assertDigest(key, sha256, (await store.get(key, bytes + 1))?.bytes);
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
  const limit = maxBytesOf(schema);
  if (bytes.length > limit) throw damaged(key, `has more than ${limit} bytes`);
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
    return assertPublished(schema, JSON.parse(text));
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

/** Returns the result of `work`; `undefined` if it throws a 'damaged' error. */
export async function unlessDamaged<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'damaged') return undefined;
    throw error;
  }
}

/** Adds the store's address to any 'damaged' error that `work` throws, so that messages about two stores are clear. */
export async function withStoreAddress<T>(store: ObjectStore, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.exit !== 'damaged') throw error;
    const { fault, message, next = ['verify', '--store', store.address] } = error;
    throw new GeneratorError('damaged', `${store.address}: ${message}`, { cause: error, fault, next });
  }
}

/** Returns the HTTP headers stored with `key`. `path` is the URL path of the file, if it has one. */
export function metaOf(key: string, contentType = JSON_TYPE, path = ''): ObjectMeta {
  const contentDisposition = dispositionOf(path);
  const meta = { contentType, cacheControl: cacheControlOf(key) };
  return contentDisposition === undefined ? meta : { ...meta, contentDisposition };
}

/** Result of writing an immutable object: it was created, or it already existed with the same bytes. */
export type WriteResult = 'created' | 'exists';

/** The path, media type, digest and size of an artifact, without its content. */
export type FileInfo = Pick<Artifact, 'path' | 'type' | 'sha256' | 'bytes'>;

/** Writes the validated bytes of an artifact under its digest. @throws like `putImmutable`. */
export function writeBody(
  store: ObjectStore,
  { path, type, sha256 }: FileInfo,
  body: Uint8Array,
): Promise<WriteResult> {
  const key = objectKey(sha256);
  return putImmutable(store, key, body, sha256, metaOf(key, type, path));
}

/**
 * Writes an immutable object. An existing one must have the same size and digest, and is written again if garbage
 * collection might soon delete it. The caller's `GcWatch` rules out that it was deleted already.
 * @throws GeneratorError 'damaged' if the key contains other bytes; StoreError 'unavailable' as `retryWrite` does.
 */
export function putImmutable(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  sha256: string,
  meta: ObjectMeta,
): Promise<WriteResult> {
  return retryWrite(store, key, async () => {
    if ((await store.putIfAbsent(key, body, meta)) === 'created') return 'created';
    const head = await store.head(key);
    if (head === undefined) return undefined;
    if (head.sizeBytes !== body.length || head.sha256 !== sha256) {
      throw damaged(
        key,
        `has other bytes than its digest says (${head.sizeBytes} bytes stored, ${body.length} expected)`,
      );
    }
    if (head.answeredAtMs - head.modifiedAtMs <= RENEWAL_AGE_MS) return 'exists';
    return (await store.compareAndSwap(key, body, head.etag, meta)) === 'conflict' ? undefined : 'exists';
  });
}

/**
 * Returns the bytes of an artifact, validated by its schema and compared with its planned digest. Content is made only
 * when it is about to be written, so that memory stays bounded.
 * @throws GeneratorError 'artifact-invalid'; Error for another digest than the planned one, which is a bug.
 */
export function toBody(artifact: Artifact): Buffer {
  const content = artifact.content();
  const body = toValidBody(artifact.path, content);
  const found = sha256Hex(body);
  if (found !== artifact.sha256)
    throw new Error(`${artifact.path}: planned ${artifact.sha256}, made ${found}`);
  return body;
}

/** Returns the bytes of the content for `path`, validated by its schema. @throws GeneratorError 'artifact-invalid'. */
export function toValidBody(path: string, content: Content): Buffer {
  const { schema, value } = content;
  const [fault] = findSchemaFaults(schema, value);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${path} at ${fault.pointer || '/'}: ${fault.message} (schema ${schema}). Nothing was published. This is a bug in the generator or its data files: please report it.`,
    );
  }
  return toBuffer(bodyOf(content));
}

function toBuffer(body: string | Uint8Array): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
}
