import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  assertReadable,
  type Etag,
  type ListedObject,
  MAX_OBJECT_BYTES,
  type ObjectHead,
  type ObjectMeta,
  type ObjectStore,
  serverMembers,
  type StoredObject,
  StoreError,
} from '../object-store.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { type ClientOptions, createS3Client, readResponseTimeMs, RETRY_PERIOD_MS } from './s3-client.js';
import { attemptsOf, classifyS3Error, isUnnamedError } from './s3-errors.js';
import { toS3StoreError } from './s3-store-error.js';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertKey } from '../object-key.js';

type S3StoreOptions = {
  /** The address as the operator typed it, for messages. */
  readonly address: string;
  readonly location: S3Address;
} & ClientOptions;

/** Host names of Amazon S3, in all its partitions. */
const AMAZON = /\.(amazonaws\.com(\.cn)?|amazonaws\.eu|api\.aws)$/;

/** Creates a store below a prefix of a bucket. Every write is conditional, with a SHA-256 that S3 verifies and keeps. */
export function createS3Store({ address, location, ...options }: S3StoreOptions): ObjectStore {
  const { signal, retryPeriodMs } = options;
  const clock = createServerClock();
  const client = createS3Client(location, { ...options, noteDate: clock.note });
  const s3: S3 = {
    client,
    location,
    ...(signal === undefined ? {} : { signal }),
    ...(retryPeriodMs === undefined ? {} : { retryPeriodMs }),
  };
  return withS3Errors(s3, {
    address,
    get: (key, maxBytes) => getObject(s3, key, maxBytes),
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
    server: {
      async isAmazon() {
        const { resolveLocation } = await import('./s3-signing.js'); // AWS_ENDPOINT_URL can name another server
        return AMAZON.test(new URL((await resolveLocation(location)).origin).hostname);
      },
      async check(key, body) {
        const { checkS3 } = await import('./check-s3.js'); // it signs links, which no other command of the generator does
        return checkS3(location, key, body).catch((error: unknown) => {
          throw toS3StoreError(error, location, key);
        });
      },
    },
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
    if (attemptsOf(error) > 1) {
      // An earlier attempt may have succeeded although its response was lost.
      const current = await headObject(s3, key);
      return current?.sha256 === sha256 ? current.etag : undefined;
    }
    if (failure === 'missing' || !('IfMatch' in condition)) return undefined;
    const current = await headObject(s3, key).catch(() => undefined); // without an answer, the refusal stands
    return current?.etag === condition.IfMatch ? swapAgain(s3, command, condition.IfMatch) : undefined;
  }
}

/**
 * Sends a swap again that was refused although the ETag is the current one: another writer may have put the same bytes back.
 * @throws StoreError 'unsafe' if it is refused again, and the ETag is still the current one
 */
async function swapAgain(s3: S3, command: PutObjectCommand, expected: Etag): Promise<Etag | undefined> {
  const { Key = '' } = command.input;
  try {
    const { ETag } = await s3.client.send(command);
    return ETag as Etag; // S3 always sends a quoted ETag
  } catch (error) {
    if (classifyS3Error(error) !== 'precondition') throw error;
    const current = await headObject(s3, Key.slice(s3.location.prefix.length));
    if (current?.etag !== expected) return undefined;
    throw new StoreError(
      'unsafe',
      `s3://${s3.location.bucket}/${Key}: the server refuses a write whose condition holds: 412 to If-Match with the current ETag. Nothing can be published there. Use another server; "generator store check" shows every check.`,
    );
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
    get: (key, maxBytes) => store.get(key, maxBytes).catch((error: unknown) => fail(error, key)),
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
    ...serverMembers(store),
  };
}

/** Maximum number of pages of a list in a row without an object. */
const MAX_EMPTY_PAGES = 1000;
/** Maximum attempts to read the metadata and the digest of the same version of an object. */
const HEAD_ATTEMPTS = 10;
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
function bucketAndKey({ location }: S3, key: string): { Bucket: string; Key: string } {
  return { Bucket: location.bucket, Key: `${location.prefix}${assertKey(key)}` };
}

/** Reads at most `maxBytes` of an object, or resolves to `undefined` if it does not exist. */
export async function getObject(
  s3: S3,
  key: string,
  maxBytes = MAX_OBJECT_BYTES,
): Promise<StoredObject | undefined> {
  const name = bucketAndKey(s3, key);
  const { retryPeriodMs = RETRY_PERIOD_MS } = s3;
  const startedMs = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const found = await s3.client.send(new GetObjectCommand(name)).catch(ignoreMissing);
    if (found === undefined) return undefined;
    try {
      const body = found.Body as AsyncIterable<Uint8Array> | undefined; // a stream in Node.js
      const bytes = await readBody(body, Math.min(maxBytes, MAX_OBJECT_BYTES));
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

/** Reads at most `maxBytes` of a body, and closes its connection if there are more. */
async function readBody(
  body: AsyncIterable<Uint8Array> = Readable.from([]),
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/**
 * Reads an object's metadata, or resolves to `undefined` if it does not exist. It also resolves to `undefined` if the bucket
 * does not exist, because a response to HEAD has no body that says which of them is missing; `getObject` rejects then.
 */
async function headObject(s3: S3, key: string): Promise<ObjectHead | undefined> {
  const name = bucketAndKey(s3, key);
  const command = new HeadObjectCommand({ ...name, ChecksumMode: 'ENABLED' });
  for (let attempt = 1; attempt <= HEAD_ATTEMPTS; attempt += 1) {
    const found = await s3.client.send(command).catch((error: unknown) => handleHeadError(s3, key, error));
    if (found === undefined) return undefined;
    const sha256 = verifiedSha256(found) ?? (await readDigest(s3, key, found.ETag));
    if (sha256 === undefined) continue; // the object was replaced between HEAD and GET
    return {
      etag: found.ETag as Etag, // S3 always sends a quoted ETag
      sizeBytes: found.ContentLength ?? 0,
      sha256,
      modifiedAtMs: found.LastModified?.getTime() ?? 0,
      answeredAtMs: readResponseTimeMs(found) ?? Date.now(),
    };
  }
  const message = `HEAD and GET of ${name.Key} in bucket ${name.Bucket} answered with different ETags ${HEAD_ATTEMPTS} times. Run again, or use another server.`;
  throw new StoreError('unavailable', message);
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
 * @throws StoreError 'unsafe' if the server lists in another order, other objects, or the same objects again.
 */
async function* listObjects({ client, location }: S3, prefix: string): AsyncIterable<ListedObject> {
  let token: string | undefined;
  let last = '';
  let emptyPages = 0;
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({
        Bucket: location.bucket,
        Prefix: `${location.prefix}${prefix}`,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    const { Contents: found = [] } = page;
    emptyPages = found.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES) throw badList(location, `has ${emptyPages} empty pages in a row`);
    for (const { Key = '', Size = 0, LastModified } of found) {
      if (!Key.startsWith(`${location.prefix}${prefix}`))
        throw badList(location, `has ${Key}, which does not begin with ${location.prefix}${prefix}`);
      if (Buffer.compare(Buffer.from(Key), Buffer.from(last)) <= 0)
        throw badList(location, `has ${Key} after ${last}, so it may never end`);
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

function badList({ bucket }: S3Address, what: string): StoreError {
  const message = `the list of bucket ${bucket} ${what}. Use a server that lists keys in order.`;
  return new StoreError('unsafe', message);
}

function ignoreMissing(error: unknown): undefined {
  if (classifyS3Error(error) === 'missing') return undefined;
  throw error;
}

/** The clock of a server, known from the `Date` of its responses. */
type ServerClock = {
  /** Reads the `Date` of a response; ignores one that is absent, not a date, or after the year 9999. */
  readonly note: (date: string | undefined) => void;
  /** Returns the server's time in milliseconds since the epoch; `undefined` before a response with a `Date`. */
  readonly now: () => number | undefined;
};

/** The end of the times that have an RFC 3339 form. */
const MAX_TIME_MS = Date.UTC(10_000, 0);

/** Creates a clock that continues from the latest `Date`. `elapsedMs` returns milliseconds from any origin and never goes back. */
export function createServerClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let offsetMs: number | undefined;
  return {
    note(date) {
      const serverMs = Date.parse(date ?? '');
      if (serverMs < MAX_TIME_MS) offsetMs = serverMs - elapsedMs();
    },
    now: () => (offsetMs === undefined ? undefined : offsetMs + elapsedMs()),
  };
}
