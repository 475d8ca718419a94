import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_OBJECT_BYTES, type ObjectStore } from '../../../../infra/store/object-store.js';
import { openStore } from '../../../../infra/store/open-store.js';

const MEGABYTE = Buffer.alloc(1_000_000);
const before = { ...process.env };

/** A server whose lists and objects never end. */
const server: Server = createServer((req, res) => {
  if (req.url?.includes('list-type=2')) {
    res.setHeader('content-type', 'application/xml');
    res.end(LIST);
    return;
  }
  const send = (): void => {
    while (!res.destroyed && res.write(MEGABYTE));
  };
  res.writeHead(200, { etag: '"etag"' }).on('drain', send);
  send();
});
const LIST = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult><Contents><Key>prefix/a</Key><Size>1</Size></Contents><Contents><Key>prefix/b</Key><Size>1</Size></Contents>
<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>`;

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

  it('is read up to the largest size of an object', async () => {
    expect((await store.get('key'))?.bytes.length).toBe(MAX_OBJECT_BYTES);
  });
});
