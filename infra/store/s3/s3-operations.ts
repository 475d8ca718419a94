import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type HeadObjectCommandOutput,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import { assertKey } from '../object-key.js';
import {
  MAX_OBJECT_BYTES,
  StoreError,
  type Etag,
  type ListedObject,
  type ObjectHead,
  type StoredObject,
} from '../object-store.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { readResponseTimeMs } from './s3-client.js';
import { classifyS3Error, isUnnamedError } from './s3-errors.js';
import { RETRY_PERIOD_MS } from './s3-retries.js';

/** Maximum attempts to read an object when the connection breaks while its body is being read. */
const BODY_ATTEMPTS = 6;
const BODY_DELAY_MS = 50;

/** A store's location and the client for it. */
export type S3 = {
  readonly client: S3Client;
  readonly location: S3Address;
  /** Aborting it cancels the client's requests. */
  readonly signal?: AbortSignal;
  /** Time limit for the retries of a request; `RETRY_PERIOD_MS` by default. */
  readonly retryPeriodMs?: number;
};

/** Returns the bucket and full key of an object. @throws TypeError if `key` is not a valid key. */
export function bucketAndKey({ location }: S3, key: string): { Bucket: string; Key: string } {
  return { Bucket: location.bucket, Key: `${location.prefix}${assertKey(key)}` };
}

/** Reads an object, or resolves to `undefined` if it does not exist. */
export async function getObject(s3: S3, key: string): Promise<StoredObject | undefined> {
  const name = bucketAndKey(s3, key);
  const { retryPeriodMs = RETRY_PERIOD_MS } = s3;
  const startedMs = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const found = await s3.client.send(new GetObjectCommand(name)).catch(ignoreMissing);
    if (found === undefined) return undefined;
    try {
      const bytes = await readBody(found.Body as AsyncIterable<Uint8Array> | undefined); // a stream in Node.js
      return { bytes, etag: found.ETag as Etag }; // S3 always sends a quoted ETag
    } catch (error) {
      // The SDK retries only until the response's headers arrive; the body is read afterwards.
      const isLast = attempt === BODY_ATTEMPTS || performance.now() - startedMs > retryPeriodMs;
      if (isLast || classifyS3Error(error) !== 'unreachable') throw error;
      const delayMs = Math.random() * BODY_DELAY_MS * 2 ** attempt;
      await sleep(delayMs, undefined, s3.signal && { signal: s3.signal });
    }
  }
}

/** Reads at most MAX_OBJECT_BYTES of a body, and closes its connection if there are more. */
async function readBody(body: AsyncIterable<Uint8Array> = Readable.from([])): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_OBJECT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_OBJECT_BYTES);
}

/**
 * Reads an object's metadata, or resolves to `undefined` if it does not exist. It also resolves to `undefined` if the bucket
 * does not exist, because a response to HEAD has no body that says which of them is missing; `getObject` rejects then.
 */
export async function headObject(s3: S3, key: string): Promise<ObjectHead | undefined> {
  const command = new HeadObjectCommand({ ...bucketAndKey(s3, key), ChecksumMode: 'ENABLED' });
  const found = await s3.client.send(command).catch((error: unknown) => handleHeadError(s3, key, error));
  if (found === undefined) return undefined;
  const sha256 = verifiedSha256(found) ?? (await readDigest(s3, key, found.ETag));
  // The object was replaced between HEAD and GET: read it again.
  if (sha256 === undefined) return headObject(s3, key);
  return {
    etag: found.ETag as Etag, // S3 always sends a quoted ETag
    sizeBytes: found.ContentLength ?? 0,
    sha256,
    modifiedAtMs: found.LastModified?.getTime() ?? 0,
    answeredAtMs: readResponseTimeMs(found) ?? Date.now(),
  };
}

/**
 * Handles a failed HEAD: returns `undefined` for a 404, and rejects otherwise. The SDK cannot name most other errors
 * without a body, so those are named by a GET.
 */
async function handleHeadError(s3: S3, key: string, error: unknown): Promise<undefined> {
  if (isUnnamedError(error)) {
    const command = new GetObjectCommand({ ...bucketAndKey(s3, key), Range: 'bytes=0-0' });
    await (await s3.client.send(command)).Body?.transformToByteArray();
  }
  ignoreMissing(error);
  return undefined;
}

/** Returns the SHA-256 that S3 verified, or `undefined` if the object was written without one or in several parts. */
function verifiedSha256({ ChecksumSHA256: checksum }: HeadObjectCommandOutput): string | undefined {
  const digest = Buffer.from(checksum ?? '', 'base64');
  const isWhole = checksum !== undefined && !checksum.includes('-') && digest.length === 32;
  return isWhole ? digest.toString('hex') : undefined;
}

/**
 * Computes the digest of an object that was written without one, of at most its first MAX_OBJECT_BYTES. Resolves to
 * `undefined` if the object has changed.
 */
async function readDigest(s3: S3, key: string, etag: string | undefined): Promise<string | undefined> {
  const object = await getObject(s3, key);
  return object !== undefined && object.etag === etag ? sha256Hex(object.bytes) : undefined;
}

/**
 * Lists the objects whose key begins with `prefix`, in S3's order, which is the order of the keys' UTF-8 bytes.
 * @throws StoreError 'unavailable' if the server lists in another order, or the same objects again.
 */
export async function* listObjects({ client, location }: S3, prefix: string): AsyncIterable<ListedObject> {
  let token: string | undefined;
  let last = '';
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({
        Bucket: location.bucket,
        Prefix: `${location.prefix}${prefix}`,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      if (Buffer.compare(Buffer.from(Key), Buffer.from(last)) <= 0) throw outOfOrder(location, Key, last);
      last = Key;
      // The AWS console creates an empty object such as "prefix/" for a folder.
      if (Key.endsWith('/')) continue;
      yield {
        key: Key.slice(location.prefix.length),
        sizeBytes: Size,
        modifiedAtMs: LastModified?.getTime() ?? 0,
      };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

function outOfOrder({ bucket }: S3Address, key: string, last: string): StoreError {
  const message = `the list of bucket ${bucket} has ${key} after ${last}, so it may never end. Use a server that lists keys in order.`;
  return new StoreError('unavailable', message);
}

function ignoreMissing(error: unknown): undefined {
  if (classifyS3Error(error) === 'missing') return undefined;
  throw error;
}
