import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import parseRange from 'range-parser';
import { readS3Address } from '../../../infra/store/s3/s3-address.js';
import { createS3Client } from '../../../infra/store/s3/s3-client.js';
import { startLoopbackServer } from '../process/loopback-server.js';
import { errorDocument } from './fake-s3.js';

/**
 * What a small S3 server does in another way than Amazon S3. Each was seen at a server that people run, with `store check`
 * or single requests: see SEEN.
 */
export type Manner = {
  /**
   * How it treats conditions: `ignored` writes in any case; `first` checks them, and writes a moment later; `quoted` compares
   * the header, with its quotes, with an ETag that it keeps without.
   */
  readonly create?: 'ignored' | 'first';
  readonly swap?: 'ignored' | 'first' | 'quoted';
  /** Lists in the order in which objects were written. */
  readonly listsAsWritten?: boolean;
  /** Answers without a signature, or with any. */
  readonly isPublic?: boolean;
  /** Keeps no SHA-256. */
  readonly forgetsDigests?: boolean;
};

/** Servers that were run, and what they did. */
export const SEEN = {
  'Garage 2.5.0 and s3rver 3.7.1': { create: 'ignored', swap: 'ignored', listsAsWritten: false },
  'S3Proxy 4.1.0 (nio2)': { swap: 'first' },
  'S3Mock 5.2.0 and moto 5.2.5': { create: 'first', swap: 'first', isPublic: true },
  'Ceph RGW 16.2.15': { swap: 'quoted' },
  's3rver 3.7.1': { listsAsWritten: true },
  'rclone 1.76.0 after a restart': { forgetsDigests: true },
} as const satisfies Record<string, Manner>;

export type SmallS3 = {
  readonly endpoint: string;
  /** Address of a store there. */
  readonly address: string;
  readonly objects: Map<string, Buffer>;
  readonly requests: () => number;
  readonly dispose: () => Promise<void>;
};

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };
/** Time between the check of a condition and the write of a server that checks first. */
const BETWEEN_MS = 3;

/** Starts an S3 server with one bucket in memory. Its clock and its signatures are real. */
export async function startSmallS3(manner: Manner = {}): Promise<SmallS3> {
  const objects = new Map<string, Buffer>();
  let requests = 0;
  const server = await startLoopbackServer((req, res) => {
    requests += 1;
    answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  const address = `s3://bucket/data?endpoint=${server.endpoint}&region=us-east-1&path-style=true`;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '/', server.endpoint);
    const key = decodeURIComponent(url.pathname.replace(/^\/[a-z]+\/?/, ''));
    if (req.headers.authorization !== undefined && url.searchParams.has('X-Amz-Signature')) {
      res.writeHead(400).end(errorDocument('InvalidArgument', 'Only one auth mechanism allowed'));
      return;
    }
    if (manner.isPublic !== true && !(await isSigned(req, url, key))) {
      res.writeHead(403).end(errorDocument('AccessDenied', 'Access Denied'));
      return;
    }
    if (key === '') list(res, url.searchParams.get('prefix') ?? '');
    else if (req.method === 'PUT') await put(req, res, key, Buffer.concat(chunks));
    else if (req.method === 'DELETE') res.writeHead(objects.delete(key) ? 204 : 204).end();
    else get(req, res, key);
  }

  async function put(req: IncomingMessage, res: ServerResponse, key: string, body: Buffer): Promise<void> {
    const { 'if-none-match': none, 'if-match': match } = req.headers;
    const how = none === undefined ? manner.swap : manner.create;
    const isHeld = (): boolean => {
      const etag = etagOf(objects.get(key));
      if (none !== undefined) return etag === undefined;
      return match === undefined || (how === 'quoted' ? match === etag?.slice(1, -1) : match === etag);
    };
    if (how !== 'ignored' && !isHeld()) {
      const isMissing = none === undefined && !objects.has(key);
      res
        .writeHead(isMissing ? 404 : 412)
        .end(
          isMissing ? errorDocument('NoSuchKey', 'No such key') : errorDocument('PreconditionFailed', 'No'),
        );
      return;
    }
    if (how === 'first') await sleep(BETWEEN_MS);
    objects.set(key, body);
    res.writeHead(200, { etag: etagOf(body) }).end();
  }

  function get(req: IncomingMessage, res: ServerResponse, key: string): void {
    const body = objects.get(key);
    if (body === undefined) {
      res.writeHead(404).end(req.method === 'HEAD' ? '' : errorDocument('NoSuchKey', 'No such key'));
      return;
    }
    if (req.headers['if-none-match'] === etagOf(body)) {
      res.writeHead(304, { etag: etagOf(body) }).end();
      return;
    }
    const ranges = parseRange(body.length, req.headers.range ?? 'bytes=0-');
    const part = typeof ranges === 'number' ? { start: 0, end: body.length - 1 } : ranges[0];
    const sent = body.subarray(part?.start, (part?.end ?? 0) + 1);
    const digest = createHash('sha256').update(body).digest('base64');
    res.writeHead(req.headers.range === undefined ? 200 : 206, {
      etag: etagOf(body),
      server: 'small-s3',
      'content-length': sent.length,
      'last-modified': new Date().toUTCString(),
      ...(req.headers.range === undefined
        ? {}
        : { 'content-range': `bytes ${part?.start ?? 0}-${part?.end ?? 0}/${body.length}` }),
      ...(manner.forgetsDigests === true ? {} : { 'x-amz-checksum-sha256': digest }),
    });
    res.end(req.method === 'HEAD' ? undefined : sent);
  }

  function list(res: ServerResponse, prefix: string): void {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
    const ordered = manner.listsAsWritten === true ? keys : keys.sort();
    const contents = ordered.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length ?? 0}</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    );
    res.end(`<ListBucketResult><Name>bucket</Name>${contents.join('')}</ListBucketResult>`);
  }

  /** Signs a link again with its own time, and compares. A header is taken for what it is: the SDK made it. */
  async function isSigned(req: IncomingMessage, url: URL, key: string): Promise<boolean> {
    if (req.headers.authorization !== undefined) return true;
    const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(url.searchParams.get('X-Amz-Date') ?? '');
    const seconds = Number(url.searchParams.get('X-Amz-Expires'));
    if (time === null) return false;
    const [year, month, day, hour, minute, second] = time.slice(1).map(Number);
    const signingDate = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second));
    if (signingDate.getTime() + seconds * 1000 < Date.now()) return false;
    const client = createS3Client(readS3Address(address), { credentials: CREDENTIALS });
    const type = url.searchParams.get('response-content-type');
    const disposition = url.searchParams.get('response-content-disposition');
    const names = {
      Bucket: 'bucket',
      Key: key,
      ...(type === null ? {} : { ResponseContentType: type }),
      ...(disposition === null ? {} : { ResponseContentDisposition: disposition }),
    };
    const command = req.method === 'HEAD' ? new HeadObjectCommand(names) : new GetObjectCommand(names);
    const expected = new URL(await getSignedUrl(client, command, { expiresIn: seconds, signingDate }));
    const name = 'X-Amz-Signature';
    return expected.searchParams.get(name) === url.searchParams.get(name);
  }

  return { endpoint: server.endpoint, address, objects, requests: () => requests, dispose: server.dispose };
}

function etagOf(body: Buffer | undefined): string | undefined {
  return body && `"${createHash('md5').update(body).digest('hex')}"`;
}
