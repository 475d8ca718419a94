import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bucket, type RawObject, withBucket } from '../../../generator/sources/aws/bucket.js';
import { createFolderBucket } from '../../../scripts/s3/folder-bucket.js';
import { startLoopbackServer, type LoopbackServer } from '../../support/process/loopback-server.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const ALL = { after: '', before: '~' };
const { signal } = new AbortController();

let folder: TemporaryFolder;
let server: LoopbackServer;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  const replaced = new Map([
    ['pointer', Buffer.from('held in memory')],
    ['gone', undefined],
  ]);
  const answer = createFolderBucket(folder.path, { replaced });
  server = await startLoopbackServer((req, res) => void answer(req, res));
});
afterEach(async () => {
  await server.dispose();
  await folder.dispose();
});

async function put(key: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder.path, key)), { recursive: true });
  await writeFile(path.join(folder.path, key), text);
}

/** Uses the bucket with the client of the product. */
function use<T>(work: (bucket: Bucket) => Promise<T>): Promise<T> {
  const address = {
    bucket: 'any',
    region: 'eu-west-1',
    prefix: '',
    endpoint: server.endpoint,
    pathStyle: true,
  };
  return withBucket({ source: 'aws', address, bodyLimitMs: 5_000 }, signal, work);
}

async function listOne(key: string): Promise<RawObject> {
  const [object] = await use((bucket) => bucket.list(key, ALL));
  if (object === undefined) throw new Error(`${key} is not listed`);
  return object;
}

it('lists the files below a prefix, after a key, in the order of keys', async () => {
  for (const key of ['t/date=2026-01-02/b', 't/date=2026-01-02/a&b', 't/date=2026-01-01/a', 'u/a']) {
    await put(key, 'text');
  }
  const span = { after: 't/date=2026-01-02', before: 't/date=2026-01-020' };
  const listed = await use((bucket) => bucket.list('t/date=', span));
  expect(listed.map(({ key }) => key)).toEqual(['t/date=2026-01-02/a&b', 't/date=2026-01-02/b']);
  expect(listed[0]).toMatchObject({ bytes: 4, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
});

it('lists more files than a page has', async () => {
  await mkdir(path.join(folder.path, 'many'));
  const names = Array.from({ length: 1_001 }, (_, i) => `many/${i + 10_000}`);
  await Promise.all(names.map((key) => writeFile(path.join(folder.path, key), '')));
  const listed = await use((bucket) => bucket.list('many/', ALL));
  expect(listed.map(({ key }) => key)).toEqual(names);
});

it('gives a range of a file, and no byte of one that is no longer the listed one', async () => {
  await put('t/date=2026-01-01/a', '0123456789');
  const object = await listOne('t/');
  expect(String(await use((bucket) => bucket.read(object, { start: 3, end: 6 })))).toBe('345');
  await put('t/date=2026-01-01/a', '012345678');
  await expect(use((bucket) => bucket.read(object, { start: 3, end: 6 }))).rejects.toMatchObject({
    code: 'not-yet',
  });
});

it.each([
  ['t/a', 200, 'a file'],
  ['pointer', 200, 'held in memory'],
  ['gone', 404, '<Error><Code>NoSuchKey</Code><Message>NoSuchKey</Message></Error>'],
  ['t', 404, '<Error><Code>NoSuchKey</Code><Message>NoSuchKey</Message></Error>'],
])('answers a GET of %s with %i', async (key, status, body) => {
  await put('t/a', 'a file');
  await put('gone', 'still in the folder');
  const response = await fetch(`${server.endpoint}/any/${key}`);
  expect([response.status, await response.text()]).toEqual([status, body]);
});
