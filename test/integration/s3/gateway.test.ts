import { sha256Hex } from '../../../schemas/digest.js';
import {
  bundlePath,
  calendarPath,
  dayPath,
  manifestPath,
  objectKey,
  PUBLIC_PATHS,
  publicKey,
} from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import {
  startGateway,
  type GatewayServer,
  type GatewayServerOptions,
} from '../../support/gateway/gateway-server.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

const SLOW_MS = 300_000;
const PUBLIC_BASE_URL = 'https://data.example.com';
const BUNDLE = bundlePath('gold', 'base', '7d');
const MANIFEST = manifestPath('gold', 'base');
const DAY = dayPath('meta', 'base', '2022-01-05');

let bucket: TestBucket;
let store: ObjectStore;
let accountsStore: ObjectStore;
let record: ReleaseRecord;
let gateway: GatewayServer;
let key: string;
const started: GatewayServer[] = [];

/** Starts a gateway with releases and accounts in the bucket. */
async function start({
  configuration = {},
  ...options
}: Partial<GatewayServerOptions> = {}): Promise<GatewayServer> {
  const server = await startGateway({
    store,
    accountsStore,
    configuration: {
      store: { kind: 's3', address: bucket.address('releases') },
      accountsStore: { kind: 's3', address: bucket.address('accounts') },
      linkSecrets: [],
      publicBaseUrl: PUBLIC_BASE_URL,
      ...configuration,
    },
    ...options,
  });
  started.push(server);
  return server;
}

beforeAll(async () => {
  bucket = await createTestBucket();
  store = await bucket.store('releases');
  accountsStore = await bucket.store('accounts');
  const inputs = [randomSeries({ chain: 'base', seed: 7, days: 10 })];
  await publishSeries(store, { inputs, asOf: '2022-01-11' });
  record = await readCurrent(store);
  gateway = await start();
  key = await gateway.createKey({ plan: 'research' });
}, SLOW_MS);
afterAll(async () => {
  await Promise.all(started.map((each) => each.stop()));
  bucket.dispose();
}, SLOW_MS);

const send = (path: string, headers: Record<string, string> = {}, server = gateway): Promise<Response> =>
  server.request(path, { headers: { 'X-API-Key': key, ...headers } });

/** Returns the signed URL of a file. */
const linkTo = async (path: string): Promise<string> => (await send(path)).headers.get('location') ?? '';

const digestAt = async (response: Response): Promise<string> =>
  sha256Hex(new Uint8Array(await response.arrayBuffer()));

describe('a subscriber file', () => {
  it(
    'has the digest in the manifest, its type and its name, for every bundle, manifest and day',
    async () => {
      const manifests = await readManifests(store, record);
      const days = [...manifests.values()].flatMap(({ dates }) => dates);
      const expected = new Map<string, string | null>([
        ...Object.entries({ ...record.bundles, ...record.manifests }).map(
          ([path, { sha256 }]) => [path, sha256] as const,
        ),
        ...days.map(({ path, sha256 }) => [path, sha256] as const),
      ]);
      expect(expected.size).toBeGreaterThan(30);
      for (const [path, sha256] of expected) {
        const response = await send(path);
        expect([path, response.status, response.headers.get('x-content-sha256')]).toEqual([
          path,
          307,
          sha256,
        ]);
        const object = await fetch(response.headers.get('location') ?? '');
        expect([path, object.status, await digestAt(object)]).toEqual([path, 200, sha256]);
        expect(object.headers.get('content-type')).toBe('application/json');
        expect(object.headers.get('content-disposition')).toMatch(
          /^attachment; filename="base-[a-z0-9-]+\.json"$/,
        );
      }
    },
    SLOW_MS,
  );

  it('has a URL that is signed for this object, with only the host as signed header', async () => {
    const url = new URL(await linkTo(BUNDLE));
    const sha256 = record.bundles[BUNDLE]?.sha256 ?? '';
    expect(url.pathname.endsWith(`/releases/${objectKey(sha256)}`)).toBe(true);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  });

  it('has the same link in JSON mode', async () => {
    const response = await send(`${BUNDLE}?redirect=false`);
    const { url, sha256, bytes } = (await response.json()) as { url: string; sha256: string; bytes: number };
    const object = await fetch(url);
    expect(Number(object.headers.get('content-length'))).toBe(bytes);
    expect([response.status, sha256]).toEqual([200, record.bundles[BUNDLE]?.sha256]);
    expect(await digestAt(object)).toBe(sha256);
  });

  it('is described by HEAD with the ETag of GET, and not sent again to a client with the same digest', async () => {
    const { sha256 = '', bytes } = record.bundles[BUNDLE] ?? {};
    const redirect = await gateway.request(BUNDLE, { method: 'HEAD', headers: { 'X-API-Key': key } });
    expect([redirect.status, redirect.headers.get('etag')]).toEqual([307, null]);
    const head = await fetch(redirect.headers.get('location') ?? '', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes)]);
    expect(head.headers.get('etag')).toBe((await fetch(await linkTo(BUNDLE))).headers.get('etag'));
    const again = await send(BUNDLE, { 'If-None-Match': `"sha256:${sha256}"` });
    expect([again.status, again.headers.get('location')]).toEqual([304, null]);
  });

  it.each([60, 300, 3600])(
    'has a link for %i seconds, in the URL, the header and the body',
    async (seconds) => {
      const server = await start({ configuration: { urlTtlSeconds: seconds } });
      const response = await send(`${BUNDLE}?redirect=false`, {}, server);
      const { url, expires_in } = (await response.json()) as { url: string; expires_in: number };
      const signed = new URL(url).searchParams.get('X-Amz-Expires');
      expect([expires_in, signed, response.headers.get('x-url-expires-in')]).toEqual([
        seconds,
        String(seconds),
        String(seconds),
      ]);
    },
  );
});

describe('a signed link', () => {
  it('serves ranges, and 416 for a range past the end', async () => {
    const url = await linkTo(BUNDLE);
    const whole = await (await fetch(url)).text();
    const part = await fetch(url, { headers: { Range: 'bytes=10-19' } });
    expect([part.status, await part.text()]).toEqual([206, whole.slice(10, 20)]);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${whole.length}`);
    const outside = await fetch(url, { headers: { Range: `bytes=${whole.length}-` } });
    expect(outside.status).toBe(416);
  });

  it('answers 304 for the ETag of the store', async () => {
    const url = await linkTo(BUNDLE);
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each<[string, RegExp, (found: string) => string]>([
    ['a different signature', /(?<=X-Amz-Signature=)./, (digit) => (digit === '0' ? '1' : '0')],
    ['a longer validity', /(?<=X-Amz-Expires=)300/, () => '3600'],
    ['a later date', /(?<=X-Amz-Date=\d{8}T\d{4})\d/, (tens) => (tens === '5' ? '4' : '5')],
    ['another type', /(?<=content-type=)[^&]*/, () => 'text%2Fhtml'],
    ['another name', /(?<=disposition=)[^&]*/, () => 'inline'],
    ['another object', /(?<=sha256\/)[0-9a-f]{64}/, () => record.manifests[MANIFEST]?.sha256 ?? ''],
    ['the pointer', /objects\/sha256\/[0-9a-f]{64}/, () => 'current.json'],
  ])('is refused by the store with %s', async (_what, part, change) => {
    const url = await linkTo(BUNDLE);
    const changed = url.replace(part, change);
    expect(changed).not.toBe(url);
    expect((await fetch(changed)).status).toBe(403);
  });

  it.each(['HEAD', 'PUT', 'DELETE'])('for GET is refused by the store for %s', async (method) => {
    const response = await fetch(await linkTo(DAY), { method });
    expect(response.status).toBe(403);
    expect((await fetch(await linkTo(DAY))).status).toBe(200);
  });

  it.each([
    [310, 403],
    [240, 200],
  ])('that was created %i s ago for 300 s is answered with %i', async (agoSeconds, status) => {
    const server = await start({ now: () => Date.now() - agoSeconds * 1000 });
    const own = await server.createKey({ plan: 'research' });
    const response = await send(BUNDLE, { 'X-API-Key': own }, server);
    expect((await fetch(response.headers.get('location') ?? '')).status).toBe(status);
  });
});

describe('a gateway on S3', () => {
  it('redirects every public path to the public base URL, where the copy of the release is', async () => {
    for (const [path, { sha256 }] of Object.entries(record.public)) {
      const response = await gateway.request(path);
      expect([response.status, response.headers.get('location')]).toEqual([307, `${PUBLIC_BASE_URL}${path}`]);
      expect(response.headers.get('etag')).toBe(`"sha256:${sha256}"`);
      expect(await response.text()).toBe('');
      const copy = await store.get(publicKey(path));
      expect([path, sha256Hex(copy?.bytes ?? '')]).toEqual([path, sha256]);
    }
  });

  it('answers 304 for a public file with the same ETag', async () => {
    const etag = `"sha256:${record.public[PUBLIC_PATHS.status]?.sha256 ?? ''}"`;
    const response = await gateway.request(PUBLIC_PATHS.status, { headers: { 'If-None-Match': etag } });
    expect([response.status, response.headers.get('location')]).toEqual([304, null]);
  });

  it('has no directory links', async () => {
    const { sha256 = '' } = record.bundles[BUNDLE] ?? {};
    for (const path of [`/_objects/${sha256}`, '/_objects/', `/_objects/${sha256}?expires=1&signature=2`]) {
      const response = await gateway.request(path);
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  it('refuses links to callers without the plan, and on another copy of the gateway to a revoked key', async () => {
    const single = await gateway.createKey({ account: 'one-chain', plan: 'single-chain', chain: 'base' });
    expect((await send(BUNDLE, { 'X-API-Key': single })).status).toBe(307);
    expect((await send(MANIFEST, { 'X-API-Key': single })).status).toBe(403);
    await gateway.accounts.revokeKey('one-chain', single.slice(9, 17)); // the id in the key
    expect((await send(BUNDLE, { 'X-API-Key': single }, await start())).status).toBe(401);
  });

  it('logs no link, key or bucket name', async () => {
    await send(calendarPath('base'));
    const log = started.map((each) => each.log()).join('');
    expect(log).toContain('"decision":"redirect"');
    for (const secret of ['X-Amz-', key, bucket.name]) expect(log).not.toContain(secret);
  });
});
