import type { ServerResponse } from 'node:http';
import { SourceError } from '../../../../generator/sources/source.js';
import { type Bucket, type RawObject, withBucket } from '../../../../generator/sources/aws/bucket.js';
import { startLoopbackServer, type LoopbackServer } from '../../../support/process/loopback-server.js';
import { errorDocument } from '../../../support/s3/fake-s3.js';

const PREFIX = 'v1.0/btc/blocks/';
const SPAN = { after: `${PREFIX}date=2026-01-01`, before: `${PREFIX}date=2026-01-020` };
const OBJECT: RawObject = {
  key: `${PREFIX}date=2026-01-01/part-0.parquet`,
  uri: `s3://public/${PREFIX}date=2026-01-01/part-0.parquet`,
  etag: '"1"',
  bytes: 10,
  lastModified: '2026-01-02T00:40:00Z',
};
const { signal } = new AbortController();

let server: LoopbackServer | undefined;
afterEach(() => server?.dispose());

/** Uses a bucket on a server that answers as scripted. `number` counts from 1. */
async function use<T>(
  answer: (res: ServerResponse, number: number, url: string) => unknown,
  work: (bucket: Bucket) => Promise<T>,
  stop = signal,
): Promise<T> {
  let number = 0;
  server = await startLoopbackServer((req, res) => void answer(res, (number += 1), req.url ?? ''));
  const address = {
    bucket: 'public',
    region: 'us-east-2',
    prefix: '',
    endpoint: server.endpoint,
    pathStyle: true,
  };
  return withBucket({ source: 'aws', address, bodyLimitMs: 100 }, stop, work);
}

const list = (bucket: Bucket): Promise<RawObject[]> => bucket.list(PREFIX, SPAN);
const read = (bucket: Bucket): Promise<Buffer> => bucket.read(OBJECT, { start: 2, end: 6 });
const range = { 'content-range': 'bytes 2-5/10', 'content-length': '4' };

function pageOf(keys: readonly string[], next?: string): string {
  const contents = keys.map(
    (key) =>
      `<Contents><Key>${PREFIX}${key}</Key><LastModified>2026-01-02T00:40:00.000Z</LastModified><ETag>"1"</ETag><Size>10</Size></Contents>`,
  );
  const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
  const truncated = `<IsTruncated>${next !== undefined}</IsTruncated>`;
  return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${truncated}${more}${contents.join('')}</ListBucketResult>`;
}

const refuse = (status: number, code: string) => (res: ServerResponse) =>
  res.writeHead(status, { 'content-type': 'application/xml' }).end(errorDocument(code, `It says ${code}.`));

async function failureOf(run: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await run.catch((each: unknown) => each);
  if (!(error instanceof SourceError)) throw new Error('expected a SourceError', { cause: error });
  return error;
}

describe('a list', () => {
  it('ends with the first page that has a later key', async () => {
    const urls: string[] = [];
    const found = await use((res, number, url) => {
      urls.push(url);
      const days =
        number === 1
          ? ['date=2026-01-01/part-0', 'date=2026-01-02/part-0']
          : ['date=2026-01-02/part-1', 'date=2026-01-03/part-0'];
      res.end(pageOf(days, `token${number}`));
    }, list);
    expect(found.map(({ key }) => key.slice(PREFIX.length))).toEqual([
      'date=2026-01-01/part-0',
      'date=2026-01-02/part-0',
      'date=2026-01-02/part-1',
    ]);
    expect(found[0]).toMatchObject({ uri: `s3://public/${found[0]?.key ?? ''}`, etag: '"1"', bytes: 10 });
    expect(urls).toHaveLength(2);
    expect(urls[0]).toContain('start-after=');
    expect(urls[1]).toContain('continuation-token=token1');
  });

  it.each([
    ['repeats a page', ['date=2026-01-01/part-0']],
    ['begins before the span', ['date=2025-12-31/part-0']],
  ])('that %s is refused', async (_what, keys) => {
    const error = await failureOf(use((res, number) => void res.end(pageOf(keys, `token${number}`)), list));
    expect(error).toMatchObject({
      code: 'shape',
      message: expect.stringContaining('in the order of their keys'),
    });
  });

  it('that does not end is refused', async () => {
    const answer = (res: ServerResponse, number: number): unknown =>
      res.end(pageOf([`date=2026-01-01/part-${String(number).padStart(9, '0')}`], `token${number}`));
    expect(await failureOf(use(answer, list))).toMatchObject({
      code: 'shape',
      message: `aws: the list of s3://public/${PREFIX} has over 100 pages.`,
    });
  });
});

describe('a read', () => {
  it('gives the bytes', async () => {
    const bytes = await use((res) => void res.writeHead(206, range).end('cdef'), read);
    expect(bytes.toString()).toBe('cdef');
  });

  it('is repeated if the bytes do not come in time, or not all', async () => {
    const bytes = await use((res, number) => {
      res.writeHead(206, range);
      if (number === 1) res.write('cd');
      else if (number === 2) res.write('cd', () => res.destroy());
      else res.end('cdef');
    }, read);
    expect(bytes.toString()).toBe('cdef');
  });

  it('fails if the bytes drip, however often it is repeated', async () => {
    const dripping = use((res) => {
      res.writeHead(206, range).write('c');
      const timer = setInterval(() => res.write('c'), 45);
      res.once('close', () => clearInterval(timer));
    }, read);
    const error = await failureOf(dripping);
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(
      /^aws: s3:\/\/public\/.*part-0\.parquet: .*no 4 bytes within 100 ms.*run again\.$/,
    );
  });

  it.each([
    ['the whole object', { 'content-length': '10' }, 'cdefghijkl'],
    ['other bytes', { ...range, 'content-range': 'bytes 0-3/10' }, 'abcd'],
    ['bytes of an object of another size', { ...range, 'content-range': 'bytes 2-5/11' }, 'cdef'],
  ])('that gives %s is refused', async (_what, headers, body) => {
    const error = await failureOf(use((res) => void res.writeHead(206, headers).end(body), read));
    expect(error).toMatchObject({
      code: 'shape',
      message: expect.stringContaining('expected the bytes 2-5, got'),
    });
  });

  it.each([
    [412, 'PreconditionFailed'],
    [404, 'NoSuchKey'],
  ])('of an object that was replaced is for later (%i)', async (status, code) => {
    const error = await failureOf(use(refuse(status, code), read));
    expect(error).toMatchObject({ code: 'not-yet', message: expect.stringContaining(OBJECT.uri) });
  });
});

describe.each([
  [403, 'AccessDenied'],
  [404, 'NoSuchBucket'],
  [301, 'PermanentRedirect'],
])('a refusal (%i %s)', (status, code) => {
  it('names the place and what to check', async () => {
    const error = await failureOf(use(refuse(status, code), list));
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(
      /^aws: s3:\/\/public\/.*\. Check bucket, region and endpoint in the policy/,
    );
  });
});

it('an abort ends a list, a read and the wait before it is repeated, with its reason', async () => {
  const reason = new Error('stopped');
  for (const [work, answer] of [
    [list, () => undefined],
    [read, (res: ServerResponse) => res.writeHead(206, range).write('c')],
    [read, (res: ServerResponse) => res.writeHead(206, range).write('c', () => res.destroy())],
  ] as const) {
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 60);
    await expect(use<unknown>(answer, work, abort.signal)).rejects.toBe(reason);
    await server?.dispose();
    server = undefined;
  }
});
