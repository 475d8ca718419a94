import { DeleteObjectCommand, PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../../schemas/digest.js';
import { assertReadable, type Etag, type ObjectMeta, type ObjectStore } from '../object-store.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { createS3Client, type ClientOptions } from './s3-client.js';
import { attemptsOf, classifyS3Error } from './s3-errors.js';
import { getObject, headObject, listObjects, bucketAndKey, type S3 } from './s3-operations.js';
import { createServerClock } from './server-clock.js';
import { toS3StoreError } from './s3-store-error.js';

type S3StoreOptions = {
  /** The address as the operator typed it, for messages. */
  readonly address: string;
  readonly location: S3Address;
} & ClientOptions;

/** Creates a store below a prefix of a bucket. Every write is conditional, with a SHA-256 that S3 verifies and keeps. */
export function createS3Store({ address, location, ...options }: S3StoreOptions): ObjectStore {
  const { signal, retryPeriodMs } = options;
  const clock = createServerClock();
  const client = createS3Client(location, { ...options, noteDate: clock.note });
  const s3: S3 = {
    ...{ client, location },
    ...(signal === undefined ? {} : { signal }),
    ...(retryPeriodMs === undefined ? {} : { retryPeriodMs }),
  };
  return withS3Errors(s3, {
    address,
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
      await s3.client.send(new DeleteObjectCommand(bucketAndKey(s3, key)));
    },
    now: clock.now,
  });
}

type Condition = { readonly IfNoneMatch: '*' } | { readonly IfMatch: Etag };

/** Writes an object if the condition holds. Resolves to the new ETag, or `undefined` if the condition does not hold. */
async function put(
  s3: S3,
  key: string,
  body: Uint8Array,
  meta: ObjectMeta,
  condition: Condition,
): Promise<Etag | undefined> {
  assertReadable(key, body);
  const sha256 = sha256Hex(body);
  const command = new PutObjectCommand({
    ...bucketAndKey(s3, key),
    ...condition,
    ...toInput(body, sha256, meta),
  });
  try {
    const { ETag } = await s3.client.send(command);
    return ETag as Etag; // S3 always sends a quoted ETag
  } catch (error) {
    const failure = classifyS3Error(error);
    // S3 answers 404 to If-Match when the object does not exist.
    if (failure !== 'precondition' && !(failure === 'missing' && 'IfMatch' in condition)) throw error;
    if (attemptsOf(error) === 1) return undefined;
    // An earlier attempt may have succeeded although its response was lost.
    const current = await headObject(s3, key);
    return current?.sha256 === sha256 ? current.etag : undefined;
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

/** Converts S3 errors of every operation to StoreErrors. After an abort, every failure becomes the abort's reason. */
function withS3Errors({ location, signal }: S3, store: ObjectStore): ObjectStore {
  const fail = (error: unknown, key: string): never => {
    signal?.throwIfAborted();
    throw toS3StoreError(error, location, key);
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
    now: () => store.now?.(),
  };
}
