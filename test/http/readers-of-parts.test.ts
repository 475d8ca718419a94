import { sha256Hex } from '../../schemas/digest.js';
import { manifestPath } from '../../schemas/paths.js';
import { openStore } from '../../infra/store/open-store.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { readCurrent } from '../support/release/read-release.js';
import { type SmallS3, startSmallS3 } from '../support/s3/small-s3.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

const FILE = manifestPath('gold', 'base');
const before = { ...process.env };
const started: GatewayServer[] = [];
let s3: SmallS3;

beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  s3 = await startSmallS3();
});
afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  await s3.dispose();
  process.env = before;
});

/** Programs that read a file by its address, and follow redirects as they do: with every header, on each request. */
describe.each(['a directory', 'an S3 server'])('from %s', (kind) => {
  let read: (headers?: Record<string, string>, method?: string) => Promise<Response>;
  let readWith: (headers: (key: string) => Record<string, string>) => Promise<Response>;
  let digest: string;

  beforeAll(async () => {
    const isS3 = kind === 'an S3 server';
    const store = isS3 ? await openStore(s3.address) : createMemoryStore();
    await publishSeries(store, {
      inputs: [randomSeries({ chain: 'base', seed: 7, days: 10 })],
      asOf: '2022-01-11',
    });
    const configuration = {
      store: { kind: 's3', address: s3.address },
      linkSecrets: [],
      publicBaseUrl: 'https://data.example.com',
    } as const;
    const gateway = await startGateway({ store, ...(isS3 ? { configuration } : {}) });
    started.push(gateway);
    const key = await gateway.createKey({ plan: 'research' });
    readWith = (headers) => fetch(gateway.url + FILE, { headers: headers(key) });
    read = async (headers = {}, method = 'GET') => {
      const sent = { ...headers, 'X-API-Key': key };
      const redirect = await gateway.request(FILE, { method, headers: sent });
      return redirect.status === 307
        ? fetch(redirect.headers.get('location') ?? '', { method, headers: sent })
        : redirect;
    };
    digest = (await readCurrent(store)).manifests[FILE]?.sha256 ?? '';
  });

  it('DuckDB and fsspec read the size and the ETag by HEAD, and find the same at each range', async () => {
    const plain = { 'Accept-Encoding': 'identity' }; // fetch asks for compressed bytes by default
    const head = await read(plain, 'HEAD');
    const size = Number(head.headers.get('content-length'));
    const etag = head.headers.get('etag');
    expect([head.status, etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
    const parts: Buffer[] = [];
    for (let start = 0; start < size; start += 500) {
      const part = await read({
        ...plain,
        Range: `bytes=${start}-${Math.min(start + 499, size - 1)}`,
        'If-Match': etag ?? '',
      });
      expect([part.status, part.headers.get('etag')]).toEqual([206, etag]);
      expect(part.headers.get('content-range')).toContain(`/${size}`);
      parts.push(Buffer.from(await part.arrayBuffer()));
    }
    expect(sha256Hex(Buffer.concat(parts))).toBe(digest);
  });

  it('a client that keeps Authorization from other hosts, such as fetch, follows the link with the key as bearer token', async () => {
    const response = await readWith((key) => ({ Authorization: `Bearer ${key}` }));
    expect([response.status, sha256Hex(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, digest]);
  });

  it('curl --etag-compare gets 304 for the ETag that it saved', async () => {
    const first = await read();
    expect(sha256Hex(new Uint8Array(await first.arrayBuffer()))).toBe(digest);
    expect((await read({ 'If-None-Match': first.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('a client that knows the digest gets 304 without a link', async () => {
    expect((await read({ 'If-None-Match': `"sha256:${digest}"` })).status).toBe(304);
  });
});
