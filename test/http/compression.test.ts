import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { bundlePath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { isWheelPath } from '../../schemas/release-paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { sendRaw } from '../support/gateway/raw-http.js';
import { plantCredentials } from '../support/process/planted-credentials.js';
import { readCurrent } from '../support/release/read-release.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { interceptStore } from '../support/stores/intercept-store.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const S3 = {
  store: { kind: 's3', address: 's3://some-bucket/prefix?region=eu-central-1' },
  linkSecrets: [],
  publicBaseUrl: 'https://data.example.com',
  servesPublicFiles: true,
} as const;

/** Values of Accept-Encoding, and whether they accept gzip and do not prefer plain bytes. */
const ACCEPTED: Readonly<Record<string, boolean>> = {
  gzip: true,
  'gzip, deflate, br, zstd': true,
  'br;q=1.0, GZIP;q=0.8, *;q=0.1': true,
  '*': true,
  'identity;q=0, gzip;q=0.001': true,
  'identity;q=0.5, *;q=1': true,
  '': false,
  identity: false,
  'gzip;q=0': false,
  'gzip;q=0, *': false,
  'gzip;q=0.5, identity': false,
  'br, deflate': false,
  'identity;q=0': false,
  '*;q=0': false,
  [`gzip, ${'a,'.repeat(4_000)}`]: false, // too long to parse for each request
};

/** A file of the gateway, with its plain bytes. */
type Sample = {
  readonly url: string;
  readonly target: string;
  readonly isText: boolean;
  readonly plain: Buffer;
};

let store: ObjectStore;
let restoreEnvironment: () => void;
const started: GatewayServer[] = [];
let samples: Record<string, Sample>;

beforeAll(async () => {
  store = await openSmallRelease();
  restoreEnvironment = plantCredentials();
  const [here, behindCdn] = [await startGateway({ store }), await startGateway({ store, configuration: S3 })];
  started.push(here, behindCdn);
  const record = await readCurrent(store);
  const listed = Object.entries(record.public);
  const wheel = listed.find(([path]) => isWheelPath(path))?.[0] ?? '';
  const short = listed.find(([, { type, bytes }]) => type.startsWith('text/') && bytes < 1_000)?.[0] ?? '';
  const key = await here.createKey({ plan: 'research' });
  const redirect = await here.request(BUNDLE, { headers: { 'X-API-Key': key } });
  const link = new URL(redirect.headers.get('location') ?? '');
  const sampleOf = async (gateway: GatewayServer, target: string, isText: boolean): Promise<Sample> => {
    const answer = await sendRaw(gateway.url, { target });
    expect([target, answer.status, answer.headers.get('content-encoding')]).toEqual([target, 200, null]);
    return { url: gateway.url, target, isText, plain: Buffer.from(await answer.arrayBuffer()) };
  };
  samples = {
    'a public file of a directory': await sampleOf(here, PUBLIC_PATHS.openapi, true),
    'a public file of an S3 store': await sampleOf(behindCdn, PUBLIC_PATHS.openapi, true),
    'a linked object': await sampleOf(here, link.pathname + link.search, true),
    'a wheel': await sampleOf(here, wheel, false),
    'a short file': await sampleOf(here, short, false),
  };
});
afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  restoreEnvironment();
});

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** A request by its conditions: `plain` and `packed` are the ETags of the two forms. */
const asked = fc.record({
  method: oneOf('GET', 'HEAD'),
  accepted: oneOf(undefined, ...Object.keys(ACCEPTED)),
  ifNoneMatch: oneOf(undefined, undefined, 'plain', 'packed', 'other', 'list', '*'),
  range: oneOf(undefined, undefined, 'bytes=10-99', 'bytes=-7', 'bytes=9999999-', 'lines=1-2'),
  ifRange: oneOf(undefined, 'plain', 'packed', 'other'),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

const ETAG = /^"sha256:[0-9a-f]{64}"$/;

async function ask({ url, target }: Sample, request: Asked, plainTag: string) {
  const tags: Record<string, string> = {
    plain: plainTag,
    packed: `W/${plainTag}`,
    other: '"sha256:other"',
    list: `"a", W/${plainTag}`,
    '*': '*',
  };
  const tagOf = (name: string | undefined): string | undefined => name && tags[name];
  const headers = Object.entries({
    'Accept-Encoding': request.accepted,
    'If-None-Match': tagOf(request.ifNoneMatch),
    Range: request.range,
    'If-Range': tagOf(request.ifRange),
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const answer = await sendRaw(url, { method: request.method, target, headers });
  return { answer, body: Buffer.from(await answer.arrayBuffer()) };
}

/** Returns the span of the plain bytes that a request must get, `undefined` for all of them, or 'outside'. */
function spanOf({ method, range, ifRange }: Asked, plain: Buffer): Buffer | undefined | 'outside' {
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== 'plain')) return undefined;
  if (range === 'bytes=10-99') return plain.subarray(10, 100);
  if (range === 'bytes=-7') return plain.subarray(-7);
  return range === 'bytes=9999999-' ? 'outside' : undefined;
}

it.each([
  ['a public file of a directory'],
  ['a public file of an S3 store'],
  ['a linked object'],
  ['a wheel'],
  ['a short file'],
])(
  '%s: whatever a client accepts and has, it gets what it can use, with the ETag of that form',
  async (name) => {
    const sample = samples[name] as Sample; // listed above
    const { answer: first } = await ask(sample, {} as Asked, '');
    const plainTag = first.headers.get('etag') ?? '';
    expect(plainTag).toMatch(ETAG);
    await fc.assert(
      fc.asyncProperty(asked, async (request) => {
        const { answer, body } = await ask(sample, request, plainTag);
        const { accepted, method, range, ifNoneMatch } = request;
        const isPacked = sample.isText && ACCEPTED[accepted ?? ''] === true && range === undefined;
        const span = spanOf(request, sample.plain);
        const matches = ifNoneMatch !== undefined && ifNoneMatch !== 'other';
        const status = matches ? 304 : span === 'outside' ? 416 : span === undefined ? 200 : 206;
        expect(answer.status).toBe(status);
        expect(/\bAccept-Encoding\b/.test(answer.headers.get('vary') ?? '')).toBe(sample.isText);
        if (status === 416) return;
        expect(answer.headers.get('etag')).toBe(isPacked ? `W/${plainTag}` : plainTag);
        expect(answer.headers.get('content-encoding')).toBe(isPacked && status === 200 ? 'gzip' : null);
        if (status === 304) {
          expect(body).toHaveLength(0);
          return;
        }
        const length = answer.headers.get('content-length');
        if (method === 'HEAD') {
          expect(body).toHaveLength(0);
          expect(length).toBe(isPacked ? null : String(sample.plain.length)); // RFC 9110 §8.6: HEAD need not compress
          return;
        }
        expect(length).toBe(String(body.length));
        const received = isPacked ? gunzipSync(body) : body;
        expect(received.equals(span === undefined ? sample.plain : (span as Buffer))).toBe(true);
        if (isPacked) expect(body.length).toBeLessThan(sample.plain.length * 0.7);
      }),
      { numRuns: 150 },
    );
  },
);

it('never continues a compressed form with a range of the plain bytes', async () => {
  const sample = samples['a linked object'] as Sample; // listed above
  const first = await sendRaw(sample.url, { target: sample.target, headers: [['Accept-Encoding', 'gzip']] });
  const etag = first.headers.get('etag') ?? '';
  const part = await sendRaw(sample.url, {
    target: sample.target,
    headers: [
      ['Accept-Encoding', 'gzip'],
      ['Range', 'bytes=100-'],
      ['If-Range', etag],
    ],
  });
  expect([part.status, part.headers.get('content-encoding')]).toEqual([200, null]);
  expect(Buffer.from(await part.arrayBuffer()).equals(sample.plain)).toBe(true);
});

it('reads and compresses a file once, for any number of requests', async () => {
  const read: string[] = [];
  const watched = interceptStore(store, ({ key }, run) => {
    read.push(key);
    return run();
  });
  const gateway = await startGateway({ store: watched });
  read.length = 0;
  const headers = { 'Accept-Encoding': 'gzip' };
  const ask = async (): Promise<string> => (await gateway.request(PUBLIC_PATHS.openapi, { headers })).text();
  const texts = await Promise.all(Array.from({ length: 30 }, ask));
  expect([new Set(texts).size, read.length]).toEqual([1, 1]);
  await gateway.stop();
});

it('compresses no answer to a credential: its length could reveal what it says', async () => {
  const [gateway] = started;
  const key = await gateway?.createKey({ plan: 'research' });
  const headers = { 'X-API-Key': key ?? '', 'Accept-Encoding': 'gzip' };
  const answer = await gateway?.request('/api/v1/entitlements', { headers });
  expect([answer?.status, answer?.headers.get('content-encoding')]).toEqual([200, null]);
});
