import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type _Object, GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { parseDate, toInstant } from '../../../schemas/dates.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { createS3Client } from '../../../infra/store/s3/s3-client.js';
import { classifyS3Error } from '../../../infra/store/s3/s3-errors.js';
import { SourceError } from '../source.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { isNativeError } from 'node:util/types';
import { StoreError } from '../../../infra/store/object-store.js';
import { toS3StoreError } from '../../../infra/store/s3/s3-store-error.js';

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

/** Bytes of an object, from `start` to before `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Ranges that are closer are read at once, with the bytes between them. */
const NEAR_BYTES = 256 * 1024;
/** Most bytes between ranges that are read, as a share of the ranges. */
const WASTE = 0.05;
/** Most bytes of a request. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the ranges to read, ascending and disjoint, so that they cover all `needed` bytes before `end`. Near ones are
 * merged, the nearest first, as long as at most a twentieth is read in vain.
 */
export function planRanges(needed: readonly ByteRange[], end: number): ByteRange[] {
  const ranges = mergeTouching(
    needed
      .map((range) => ({ start: range.start, end: Math.min(range.end, end) }))
      .filter((range) => range.start < range.end)
      .sort((a, b) => a.start - b.start),
  );
  const gaps = ranges
    .slice(1)
    .map((range, i) => ({ before: range, bytes: range.start - (ranges[i]?.end ?? 0) }))
    .filter(({ bytes }) => bytes < NEAR_BYTES)
    .sort((a, b) => a.bytes - b.bytes);
  let allowed = WASTE * totalBytes(ranges);
  const closed = new Set<ByteRange>();
  for (const { before, bytes } of gaps) {
    if (bytes > allowed) break;
    allowed -= bytes;
    closed.add(before);
  }
  return mergeTouching(ranges, closed);
}

/** Returns the same bytes in ranges that one request may read. */
export function splitRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const pieces: ByteRange[] = [];
  for (const { start, end } of ranges) {
    for (let from = start; from < end; from += PIECE_BYTES) {
      pieces.push({ start: from, end: Math.min(from + PIECE_BYTES, end) });
    }
  }
  return pieces;
}

/** Returns the number of bytes of disjoint ranges. */
export function totalBytes(ranges: readonly ByteRange[]): number {
  return ranges.reduce((total, { start, end }) => total + end - start, 0);
}

/** Merges each range that begins within the one before it, or that is in `closed`. Precondition: ascending. */
function mergeTouching(
  ranges: readonly ByteRange[],
  closed: ReadonlySet<ByteRange> = new Set(),
): ByteRange[] {
  const merged: ByteRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && (range.start <= last.end || closed.has(range))) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else {
      merged.push(range);
    }
  }
  return merged;
}

/** An object of the bucket, as a listing names it. */
export type RawObject = {
  readonly key: string;
  readonly uri: string;
  readonly etag: string;
  readonly bytes: number;
  readonly lastModified: string;
};

/** Names of objects without data: Spark's sign that a folder is complete, and the folder itself. */
const NO_DATA = ['_SUCCESS', ''];

/** Returns the beginning of the keys of a span's dates, and the keys before and after all of them. */
export function keysOf(
  prefix: string,
  { first, last }: { readonly first: string; readonly last: string },
): [beginning: string, between: { after: string; before: string }] {
  let common = 0;
  while (common < first.length && first[common] === last[common]) common += 1;
  const before = `${prefix}date=${last}0`; // 0 is the character after the slash
  return [`${prefix}date=${first.slice(0, common)}`, { after: `${prefix}date=${first}`, before }];
}

/** Returns the objects of each date, by the folders of the dates. Objects elsewhere are ignored. */
export function groupByDate(prefix: string, objects: readonly RawObject[]): Map<string, RawObject[]> {
  const dates = new Map<string, RawObject[]>();
  for (const object of objects) {
    const [, date = ''] = /^date=(\d{4}-\d\d-\d\d)\//.exec(object.key.slice(prefix.length)) ?? [];
    if (!object.key.startsWith(prefix) || parseDate(date) === undefined) continue;
    if (NO_DATA.includes(nameOf(prefix, object))) continue;
    dates.set(date, [...(dates.get(date) ?? []), object]);
  }
  return dates;
}

/**
 * Returns why the objects of a table on a date are not complete, or `undefined` if they are: the names of complete files
 * begin with `namePrefix`. Other names are those of files within the day, which are replaced after its end. While they
 * are replaced, both are there, and every row twice.
 */
export function findIncomplete(
  prefix: string,
  objects: readonly RawObject[],
  namePrefix: string,
): string | undefined {
  if (objects.length === 0) return 'no objects';
  const isComplete = (object: RawObject): boolean => {
    const name = nameOf(prefix, object);
    return name.startsWith(namePrefix) && name.endsWith('.parquet') && !name.includes('/');
  };
  const other = objects.find((object) => !isComplete(object));
  return other === undefined ? undefined : `${other.uri} among ${objects.length} objects`;
}

/** Returns the mark of a date: it changes with every object of the date. */
export function markOf(objects: readonly RawObject[]): string {
  const listed = objects.map(({ key, etag, bytes }) => [key, etag, bytes] as const);
  return sha256Hex(canonicalJson(listed.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function nameOf(prefix: string, { key }: RawObject): string {
  return key.slice(prefix.length + 'date=YYYY-MM-DD/'.length);
}

const READ_LATER = 'It is read again at the next run.';
const CHECK_ADDRESS =
  'Check bucket, region and endpoint in the policy, and whether the bucket is still public.';

/** Converts a failure of S3 to a SourceError with the key's address and a remedy. Returns any other error unchanged. */
function toSourceError(error: unknown, source: string, address: S3Address, key: string): unknown {
  if (error instanceof SourceError) return error;
  const failure = classifyS3Error(error);
  const where = `${source}: s3://${address.bucket}/${key}`;
  if (failure === 'precondition' || failure === 'missing') {
    return new SourceError('not-yet', `${where} was replaced while it was read. ${READ_LATER}`, {
      cause: error,
    });
  }
  if (failure === 'denied' || failure === 'wrong-address') {
    const message = isNativeError(error) ? error.message : failure;
    return new SourceError('unavailable', `${where}: ${message.replace(/\.$/, '')}. ${CHECK_ADDRESS}`, {
      cause: error,
    });
  }
  const described = toS3StoreError(error, address, key);
  if (!(described instanceof StoreError)) return error;
  return new SourceError('unavailable', `${source}: ${described.message}`, { cause: error });
}
