import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_OBJECT_BYTES, type ObjectStore } from '../../../../infra/store/object-store.js';
import { openStore } from '../../../../infra/store/open-store.js';

const MEGABYTE = Buffer.alloc(1_000_000);
const before = { ...process.env };

/** A server whose lists and objects never end. HEAD and GET of "contradiction" name different versions. */
const server: Server = createServer((req, res) => {
  if (req.url?.includes('list-type=2')) {
    lists += 1;
    res.setHeader('content-type', 'application/xml');
    res.end(listOf(req.url.includes('other') ? '<Contents><Key>foreign</Key></Contents>' : pageOf(req.url)));
    return;
  }
  if (req.url?.includes('contradiction')) {
    heads += req.method === 'HEAD' ? 1 : 0;
    res.writeHead(200, { etag: `"${req.method}"`, 'content-length': '1' }).end('x');
    return;
  }
  const send = (): void => {
    while (!res.destroyed && res.write(MEGABYTE));
  };
  res.writeHead(200, { etag: '"etag"' }).on('drain', send);
  send();
});
const PAGE =
  '<Contents><Key>prefix/a</Key><Size>1</Size></Contents><Contents><Key>prefix/b</Key><Size>1</Size></Contents>';
const pageOf = (url: string): string => (url.includes('empty') ? '' : PAGE);
const listOf = (contents: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult>${contents}<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>`;
let lists = 0;
let heads = 0;

let store: ObjectStore;
beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
  store = await openStore(`s3://bucket/prefix?endpoint=${endpoint}&path-style=true&region=us-east-1`);
});
afterAll(async () => {
  process.env = before;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a server that never ends', () => {
  it('is not listed again and again: keys must ascend', async () => {
    const found: string[] = [];
    const list = async (): Promise<void> => {
      for await (const { key } of store.list('')) found.push(key);
    };
    await expect(list()).rejects.toMatchObject({
      code: 'unsafe',
      message:
        'the list of bucket bucket has prefix/a after prefix/b, so it may never end. Use a server that lists keys in order.',
    });
    expect(found).toEqual(['a', 'b']);
  });

  it('is not listed again and again, if its pages are empty', async () => {
    lists = 0;
    const list = async (): Promise<void> => {
      for await (const { key } of store.list('empty/')) expect(key).toBe('');
    };
    await expect(list()).rejects.toMatchObject({
      code: 'unsafe',
      message: expect.stringMatching(/ has 1001 empty pages in a row\. Use a server/),
    });
    expect(lists).toBe(1001);
  });

  it('lists no object outside the prefix', async () => {
    const list = async (): Promise<void> => {
      for await (const { key } of store.list('other/')) expect(key).toBe('');
    };
    await expect(list()).rejects.toMatchObject({
      code: 'unsafe',
      message: expect.stringContaining('has foreign, which does not begin with prefix/other/'),
    });
  });

  it('is not asked again and again for the version that HEAD names', async () => {
    await expect(store.head('contradiction')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('answered with different ETags 10 times'),
    });
    expect(heads).toBe(10);
  });

  it('is read up to the largest size of an object', async () => {
    expect((await store.get('key'))?.bytes.length).toBe(MAX_OBJECT_BYTES);
    expect((await store.get('key', 10))?.bytes.length).toBe(10);
  });
});
