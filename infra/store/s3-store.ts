import { DeleteObjectCommand, PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../schemas/digest.js';
import type { Etag, ObjectMeta, ObjectStore } from './object-store.js';
import type { S3Address } from './s3-address.js';
import { createS3Client, type ClientTerms } from './s3-client.js';
import { attemptsOf, classifyS3Error, toS3StoreError } from './s3-errors.js';
import { getObject, headObject, listObjects, nameOf, type S3 } from './s3-operations.js';

/** How to open a store in S3. */
export type S3StoreTerms = {
  /** The address as the operator typed it. */
  readonly text: string;
  readonly at: S3Address;
} & ClientTerms;

/** A store below a prefix of a bucket. Every write is conditional and carries its SHA-256, which S3 checks and keeps. */
export function createS3Store({ text, at, ...terms }: S3StoreTerms): ObjectStore {
  const { signal } = terms;
  const s3: S3 = { client: createS3Client(at, terms), at, ...(signal === undefined ? {} : { signal }) };
  return withS3Errors(s3, {
    address: text,
    get: (key) => getObject(s3, key),
    head: (key) => headObject(s3, key),
    async putIfAbsent(key, body, meta) {
      return (await put(s3, key, body, meta, { IfNoneMatch: '*' })) === undefined ? 'exists' : 'created';
    },
    async compareAndSwap(key, body, expected, meta) {
      const condition: Condition = expected === null ? { IfNoneMatch: '*' } : { IfMatch: expected };
      return (await put(s3, key, body, meta, condition)) ?? 'conflict';
    },
    list: (prefix) => listObjects(s3, prefix),
    async delete(key) {
      await s3.client.send(new DeleteObjectCommand(nameOf(s3, key)));
    },
  });
}

type Condition = { readonly IfNoneMatch: '*' } | { readonly IfMatch: Etag };

/** Writes under a condition; resolves the new etag, or `undefined` when the condition did not hold. */
async function put(
  s3: S3,
  key: string,
  body: Uint8Array,
  meta: ObjectMeta,
  condition: Condition,
): Promise<Etag | undefined> {
  const sha256 = sha256Hex(body);
  const command = new PutObjectCommand({ ...nameOf(s3, key), ...condition, ...toInput(body, sha256, meta) });
  try {
    const { ETag } = await s3.client.send(command);
    return ETag as Etag; // S3 sends it in quotes
  } catch (error) {
    const failure = classifyS3Error(error);
    if (failure !== 'precondition' && !(failure === 'missing' && 'IfMatch' in condition)) throw error;
    if (attemptsOf(error) === 1) return undefined;
    // Sent more than once: an earlier try may have been done, and only its answer lost.
    const now = await headObject(s3, key);
    return now?.sha256 === sha256 ? now.etag : undefined;
  }
}

function toInput(
  body: Uint8Array,
  sha256: string,
  { contentType, cacheControl, contentDisposition }: ObjectMeta,
): Omit<PutObjectCommandInput, 'Bucket' | 'Key'> {
  return {
    Body: body,
    ContentType: contentType,
    CacheControl: cacheControl,
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
    ...(contentDisposition === undefined ? {} : { ContentDisposition: contentDisposition }),
  };
}

/** Turns S3's errors into a store's, once for every operation; after an abort each failure is its reason. */
function withS3Errors({ at, signal }: S3, store: ObjectStore): ObjectStore {
  const fail = (error: unknown, key: string): never => {
    signal?.throwIfAborted();
    throw toS3StoreError(error, at, key);
  };
  return {
    address: store.address,
    get: (key) => store.get(key).catch((error: unknown) => fail(error, key)),
    head: (key) => store.head(key).catch((error: unknown) => fail(error, key)),
    putIfAbsent: (key, body, meta) =>
      store.putIfAbsent(key, body, meta).catch((error: unknown) => fail(error, key)),
    compareAndSwap: (key, body, expected, meta) =>
      store.compareAndSwap(key, body, expected, meta).catch((error: unknown) => fail(error, key)),
    async *list(prefix) {
      try {
        yield* store.list(prefix);
      } catch (error) {
        fail(error, prefix);
      }
    },
    delete: (key) => store.delete(key).catch((error: unknown) => fail(error, key)),
  };
}
