import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { sha256Hex } from '../../../schemas/digest.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { judge } from '../check-store.js';
import { type CheckedRow, type ServerChecks, StoreError } from '../object-store.js';
import { createS3Client } from './s3-client.js';

/** Seconds that a link of a check works. */
const LINK_SECONDS = 60;
const TIMEOUT_MS = 10_000;
/** Waits before another try of a request that got no answer or one that may pass, in milliseconds. */
const WAITS_MS = [200, 400, 800, 1600] as const;
/** Time after which a request is not tried again. */
const RETRY_MS = 30_000;

/**
 * Checks what a gateway needs of a server, on an object of a few bytes: its digest, signed GET and HEAD, ranges, and that
 * nobody reads without a valid signature. `key` begins at the address.
 */
export async function checkS3(address: S3Address, key: string, body: Uint8Array): Promise<ServerChecks> {
  const client = createS3Client(address);
  const names = { Bucket: address.bucket, Key: `${address.prefix}${key}` };
  const head = await client.send(new HeadObjectCommand({ ...names, ChecksumMode: 'ENABLED' }));
  const keepsDigest = head.ChecksumSHA256 === Buffer.from(sha256Hex(body), 'hex').toString('base64');
  const get = new GetObjectCommand(names);
  const url = await getSignedUrl(client, get, { expiresIn: LINK_SECONDS });
  const signed = await ask(url);
  const range = await ask(url, { headers: { range: 'bytes=1-3' } });
  const headUrl = await getSignedUrl(client, new HeadObjectCommand(names), { expiresIn: LINK_SECONDS });
  const headed = await ask(headUrl, { method: 'HEAD' });
  const text = Buffer.from(body).toString('utf8');
  const rows = [
    judge('the SHA-256 of an object', keepsDigest, {
      holds: 'is in the answer to HEAD',
      result: 'note',
      saw: 'is not in the answer to HEAD, so every object is read to compare it',
    }),
    judge('a signed GET', signed.text === text, needed('answers the object', signed)),
    judge('a signed HEAD', headed.status === 200, needed('answers 200', headed)),
    judge('a range', range.status === 206 && range.text === text.slice(1, 4), {
      holds: 'answers its bytes',
      result: 'note',
      saw: `answers ${range.status}, so readers of parts of files fail or read everything`,
    }),
    ...(await checkStrangers(address, key)),
  ];
  return { server: signed.server, requests: 7, rows };
}

function needed(
  holds: string,
  { status }: Answer,
): { holds: string; result: CheckedRow['result']; saw: string } {
  return { holds, result: 'unusable', saw: `answers ${status}` };
}

/** Checks that an object that exists is not read without a signature, with another one, or after its time. */
export async function checkStrangers(address: S3Address, key: string): Promise<CheckedRow[]> {
  const client = createS3Client(address);
  const get = new GetObjectCommand({ Bucket: address.bucket, Key: `${address.prefix}${key}` });
  const url = await getSignedUrl(client, get, { expiresIn: LINK_SECONDS });
  const unsigned = new URL(url);
  unsigned.search = '';
  const past = new Date(Date.now() - 2 * LINK_SECONDS * 1000);
  const expired = await getSignedUrl(client, get, { expiresIn: LINK_SECONDS, signingDate: past });
  const tries: readonly (readonly [what: string, url: string, saw: string])[] = [
    ['a GET without a signature', unsigned.href, 'is answered: anybody can read the bucket'],
    ['a GET with a wrong signature', withOtherSignature(url), 'is answered: signatures are not checked'],
    ['a GET after the link has ended', expired, 'is answered: links never end'],
  ];
  const answers = await Promise.all(tries.map(([, each]) => ask(each)));
  return tries.map(([what, , saw], i) =>
    judge(what, (answers[i]?.status ?? 0) >= 400, { holds: 'is refused', result: 'public', saw }),
  );
}

/** Returns a link whose signature has another first digit. */
function withOtherSignature(url: string): string {
  return url.replace(
    /(X-Amz-Signature=)(.)/,
    (_, name: string, digit: string) => name + (digit === '0' ? '1' : '0'),
  );
}

type Answer = { readonly status: number; readonly text: string; readonly server: string | null };

/** Sends a request, several times if it got no answer or one that may pass. @throws StoreError if there is no answer */
async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const endMs = performance.now() + RETRY_MS;
  for (const waitMs of WAITS_MS) {
    const answer = await askOnce(url, init).catch(() => undefined);
    const isFinal = answer !== undefined && answer.status < 500 && answer.status !== 429;
    if (isFinal) return answer;
    if (performance.now() > endMs) break;
    await sleep(waitMs);
  }
  return askOnce(url, init);
}

async function askOnce(url: string, init: RequestInit): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, text: await response.text(), server: response.headers.get('server') };
  } catch (error) {
    const { origin } = new URL(url);
    throw new StoreError('unavailable', `${origin} does not answer a signed link. Check the endpoint.`, {
      cause: error,
    });
  }
}
