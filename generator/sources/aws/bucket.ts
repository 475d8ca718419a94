import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, ListObjectsV2Command, type _Object, type S3Client } from '@aws-sdk/client-s3';
import { toInstant } from '../../../schemas/dates.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { createS3Client } from '../../../infra/store/s3/s3-client.js';
import { classifyS3Error } from '../../../infra/store/s3/s3-errors.js';
import { SourceError } from '../source.js';
import type { ByteRange } from './byte-ranges.js';
import type { RawObject } from './raw-objects.js';
import { toSourceError } from './source-failures.js';

/** Reads a public bucket, without credentials. */
export type Bucket = {
  /**
   * Lists the objects whose key begins with `prefix` and is between `after` and `before`, both exclusive. Requests no page
   * after one that reaches `before`. @throws SourceError
   */
  readonly list: (prefix: string, span: { after: string; before: string }) => Promise<RawObject[]>;
  /** Reads bytes of an object. @throws SourceError 'not-yet' if the object is no longer the one that was listed. */
  readonly read: (object: RawObject, range: ByteRange) => Promise<Buffer>;
};

/** Options for `withBucket`. */
type BucketOptions = {
  /** Id of the source, for messages. */
  readonly source: string;
  readonly address: S3Address;
  /** Longest time for the bytes of an answer. */
  readonly bodyLimitMs: number;
};

type Connection = BucketOptions & { readonly client: S3Client; readonly signal: AbortSignal };

/** Pages of 1,000 objects: far more than the history of a table. */
const MAX_PAGES = 100;
/** The SDK repeats a request until its headers are there; the bytes are read afterwards. */
const BODY_ATTEMPTS = 6;
const BODY_DELAY_MS = 50;

/** Calls `use` with a bucket whose requests end with `signal`. @throws SourceError; the reason of `signal`. */
export async function withBucket<T>(
  options: BucketOptions,
  signal: AbortSignal,
  use: (bucket: Bucket) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = createS3Client(options.address, { signal, isAnonymous: true });
  const connection: Connection = { ...options, client, signal };
  const converted = <R>(key: string, reading: Promise<R>): Promise<R> =>
    reading.catch((error: unknown) => {
      signal.throwIfAborted();
      throw toSourceError(error, options.source, options.address, key);
    });
  try {
    return await use({
      list: (prefix, span) => converted(prefix, listSpan(connection, prefix, span)),
      read: (object, range) => converted(object.key, readRange(connection, object, range)),
    });
  } finally {
    client.destroy();
  }
}

async function listSpan(
  { client, address: { bucket }, source }: Connection,
  prefix: string,
  { after, before }: { after: string; before: string },
): Promise<RawObject[]> {
  const objects: RawObject[] = [];
  let token: string | undefined;
  let last = after;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const start = token === undefined ? { StartAfter: after } : { ContinuationToken: token };
    const answer = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...start }));
    for (const listed of answer.Contents ?? []) {
      const object = toRawObject(bucket, listed);
      if (object === undefined || object.key <= last) {
        const expected = `objects with ETag and size, in the order of their keys after ${last}`;
        throw new SourceError(
          'shape',
          `${source}: s3://${bucket}/${prefix}: expected ${expected}, got others.`,
        );
      }
      last = object.key;
      if (last < before) objects.push(object);
    }
    token = answer.NextContinuationToken;
    if (token === undefined || last >= before) return objects;
  }
  throw new SourceError(
    'shape',
    `${source}: the list of s3://${bucket}/${prefix} has over ${MAX_PAGES} pages.`,
  );
}

function toRawObject(bucket: string, { Key, ETag, Size, LastModified }: _Object): RawObject | undefined {
  if (Key === undefined || ETag === undefined || Size === undefined || LastModified === undefined)
    return undefined;
  const lastModified = toInstant(LastModified.getTime());
  return { key: Key, uri: `s3://${bucket}/${Key}`, etag: ETag, bytes: Size, lastModified };
}

async function readRange(connection: Connection, object: RawObject, range: ByteRange): Promise<Buffer> {
  const { client, address, source, signal } = connection;
  const bytes = `${range.start}-${range.end - 1}`;
  const command = { Bucket: address.bucket, Key: object.key, Range: `bytes=${bytes}`, IfMatch: object.etag };
  for (let attempt = 1; ; attempt += 1) {
    const { Body, ContentRange } = await client.send(new GetObjectCommand(command));
    const body = Body as Readable; // in Node.js
    if (ContentRange !== `bytes ${bytes}/${object.bytes}`) {
      body.destroy();
      const got = ContentRange ?? 'the whole object';
      throw new SourceError('shape', `${source}: ${object.uri}: expected the bytes ${bytes}, got ${got}.`);
    }
    try {
      return await readBody(body, range.end - range.start, connection.bodyLimitMs);
    } catch (error) {
      if (attempt === BODY_ATTEMPTS || classifyS3Error(error) !== 'unreachable') throw error;
      await sleep(Math.random() * BODY_DELAY_MS * 2 ** attempt, undefined, { signal });
    }
  }
}

/** Reads a body of a known length within a time. */
async function readBody(body: Readable, length: number, limitMs: number): Promise<Buffer> {
  const late = Object.assign(new Error(`no ${length} bytes within ${limitMs} ms`), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => body.destroy(late), limitMs);
  try {
    const chunks: Buffer[] = [];
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      read += chunk.length;
      if (read > length) break;
    }
    if (read === length) return Buffer.concat(chunks);
    throw Object.assign(new Error(`${read} bytes instead of ${length}`), { code: 'ECONNABORTED' });
  } finally {
    clearTimeout(timer);
  }
}
