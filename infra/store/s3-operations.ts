import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type HeadObjectCommandOutput,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../schemas/digest.js';
import { assertKey } from './object-key.js';
import type { Etag, ListedObject, ObjectHead, StoredObject } from './object-store.js';
import type { S3Address } from './s3-address.js';
import { readAnswerTimeMs } from './s3-client.js';
import { classifyS3Error, isUnexplained } from './s3-errors.js';
import { LAST_TRY_MS } from './s3-retries.js';

/** Number of times that an object is fetched whose body breaks off. */
const BODY_TRIES = 6;
const BODY_PAUSE_MS = 50;

/** A bucket that is spoken to. */
export type S3 = {
  readonly client: S3Client;
  readonly at: S3Address;
  /** Aborted when the client breaks off its requests. */
  readonly signal?: AbortSignal;
};

/** How S3 names the object of a key. @throws TypeError for a text that is no key. */
export function nameOf({ at }: S3, key: string): { Bucket: string; Key: string } {
  return { Bucket: at.bucket, Key: `${at.prefix}${assertKey(key)}` };
}

/** Reads an object whole; `undefined` when there is none. */
export async function getObject(s3: S3, key: string): Promise<StoredObject | undefined> {
  const name = nameOf(s3, key);
  const startedMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    const found = await s3.client.send(new GetObjectCommand(name)).catch(ignoreMissing);
    if (found === undefined) return undefined;
    try {
      const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array();
      return { bytes, etag: found.ETag as Etag }; // S3 sends it in quotes
    } catch (error) {
      // The client's retries end where the body begins.
      const isLast = tries === BODY_TRIES || performance.now() - startedMs > LAST_TRY_MS;
      if (isLast || classifyS3Error(error) !== 'unreachable') throw error;
      await sleep(Math.random() * BODY_PAUSE_MS * 2 ** tries, undefined, s3.signal && { signal: s3.signal });
    }
  }
}

/**
 * Reads what S3 knows of an object; `undefined` when there is none. Where there is no bucket it says so too, for the
 * answer to a HEAD has no body: whoever begins with a `get` learns of that.
 */
export async function headObject(s3: S3, key: string): Promise<ObjectHead | undefined> {
  const command = new HeadObjectCommand({ ...nameOf(s3, key), ChecksumMode: 'ENABLED' });
  const found = await s3.client.send(command).catch((error: unknown) => explainHead(s3, key, error));
  if (found === undefined) return undefined;
  const sha256 = toHex(found) ?? (await readDigest(s3, key, found.ETag));
  if (sha256 === undefined) return headObject(s3, key);
  return {
    etag: found.ETag as Etag, // S3 sends it in quotes
    sizeBytes: found.ContentLength ?? 0,
    sha256,
    modifiedAtMs: found.LastModified?.getTime() ?? 0,
    answeredAtMs: readAnswerTimeMs(found) ?? Date.now(),
  };
}

/** The answer to a HEAD does not say why it was refused; that to a GET of the same object does. */
async function explainHead(s3: S3, key: string, error: unknown): Promise<undefined> {
  if (isUnexplained(error)) {
    const command = new GetObjectCommand({ ...nameOf(s3, key), Range: 'bytes=0-0' });
    await (await s3.client.send(command)).Body?.transformToByteArray();
  }
  ignoreMissing(error);
  return undefined;
}

/** The SHA-256 that S3 has checked and kept; `undefined` for an object that was written without one, or in parts. */
function toHex({ ChecksumSHA256: checksum }: HeadObjectCommandOutput): string | undefined {
  const digest = Buffer.from(checksum ?? '', 'base64');
  const isWhole = checksum !== undefined && !checksum.includes('-') && digest.length === 32;
  return isWhole ? digest.toString('hex') : undefined;
}

/** The digest of an object that S3 keeps none of; `undefined` when it is another object by now. */
async function readDigest(s3: S3, key: string, etag: string | undefined): Promise<string | undefined> {
  const object = await getObject(s3, key);
  return object !== undefined && object.etag === etag ? sha256Hex(object.bytes) : undefined;
}

/** Every object whose key begins with `prefix`, in the order of S3, which is that of the code units of a key. */
export async function* listObjects({ client, at }: S3, prefix: string): AsyncIterable<ListedObject> {
  let token: string | undefined;
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({
        Bucket: at.bucket,
        Prefix: `${at.prefix}${prefix}`,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      // A console leaves empty objects such as "prefix/" where a person made a folder.
      if (Key.endsWith('/')) continue;
      yield { key: Key.slice(at.prefix.length), sizeBytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

function ignoreMissing(error: unknown): undefined {
  if (classifyS3Error(error) === 'missing') return undefined;
  throw error;
}
