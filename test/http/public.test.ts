import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { metaOf } from '../../generator/state/stored-json.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { cacheControlOf } from '../../schemas/object-headers.js';
import {
  bundlePath,
  calendarPath,
  methodologyTextPath,
  objectKey,
  PAGE_PATHS,
  POINTER_KEY,
  publicKey,
  PUBLIC_PATHS,
  releaseKey,
  summaryPath,
  EMBED_PATH,
} from '../../schemas/paths.js';
import { isAssetPath } from '../../schemas/release-paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readDocument, readProblemCode } from '../support/gateway/http-answers.js';
import { readCurrent } from '../support/release/read-release.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { interceptStore } from '../support/stores/intercept-store.js';
import { startLoopbackServer } from '../support/process/loopback-server.js';
import { plantCredentials } from '../support/process/planted-credentials.js';

const CALENDAR = calendarPath('base');
const { status: STATUS, landing: LANDING } = PUBLIC_PATHS;
const BASE_URL = 'https://data.example.com';
let store: ObjectStore;
let record: ReleaseRecord;
let here: GatewayServer;
let elsewhere: GatewayServer;
let behindCdn: GatewayServer;
let behindProxy: GatewayServer;
let restoreEnvironment: () => void;

/** Stopping waits for requests in progress, which takes a while on a busy machine. */
const SLOW_MS = 20_000;

beforeAll(async () => {
  store = await openSmallRelease();
  record = await readCurrent(store);
  here = await startGateway({ store });
  restoreEnvironment = plantCredentials();
  elsewhere = await startGateway({ store, configuration: { ...S3, publicBaseUrl: BASE_URL } });
  behindCdn = await startGateway({
    store,
    configuration: { ...S3, publicBaseUrl: BASE_URL, servesPublicFiles: true },
  });
  behindProxy = await startGateway({
    store,
    configuration: { ...S3, publicBaseUrl: BASE_URL, trustProxy: ['127.0.0.1'] },
  });
});
afterAll(async () => {
  await Promise.all([here, elsewhere, behindCdn, behindProxy].map((each) => each.stop()));
  restoreEnvironment();
}, SLOW_MS);

const S3 = {
  store: { kind: 's3', address: 's3://some-bucket/prefix?region=eu-central-1' },
  linkSecrets: [],
} as const;

/** Sends a request for the plain bytes: fetch asks for compressed ones by default. */
const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  here.request(path, { headers: { 'Accept-Encoding': 'identity', ...headers }, method });

const etagOf = (path: string): string => `"sha256:${record.public[path]?.sha256 ?? ''}"`;

/** Returns one public file of each folder and type. */
function examples(): [string, ReleaseRecord['public'][string]][] {
  const all = Object.entries(record.public);
  const kindOf = (path: string, type: string): string => `${path.split('/')[1] ?? ''} ${type}`;
  return [...new Map(all.map((each) => [kindOf(each[0], each[1].type), each])).values()];
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

it('serves the bytes of an S3 store to a CDN, which a redirect would lead back to itself', async () => {
  const { sha256 = '' } = record.public[PUBLIC_PATHS.status] ?? {};
  const response = await behindCdn.request(PUBLIC_PATHS.status);
  expect([response.status, sha256Hex(await bytesOf(response))]).toEqual([200, sha256]);
  expect((await behindCdn.request('/')).status).toBe(200);
});

describe('a gateway at the address to which it redirects', () => {
  const from = (
    headers: Record<string, string>,
    { url: origin } = elsewhere,
  ): Promise<{ status: number; location?: string }> =>
    new Promise((resolve, reject) => {
      const url = `${origin}${PUBLIC_PATHS.status}`; // fetch would not send these headers
      get(url, { headers }, ({ statusCode: status = 0, headers: { location } }) => {
        resolve({ status, ...(location === undefined ? {} : { location }) });
      }).on('error', reject);
    });

  it.each<[string, Record<string, string>]>([
    ['by the host of the request', { Host: 'data.example.com' }],
    ['with its default port', { Host: 'data.example.com:443' }],
    ['in capitals', { Host: 'DATA.Example.com' }],
  ])('serves public files: %s', async (_how, headers) => {
    expect(await from(headers)).toEqual({ status: 200 });
  });

  it.each<[string, Record<string, string>]>([
    ['another host', { Host: 'api.example.com' }],
    ['another port', { Host: 'data.example.com:8443' }],
    ['a subdomain', { Host: 'www.data.example.com' }],
    ['no host of a URL', { Host: 'a b' }],
    ['an empty host', { Host: '' }],
  ])('redirects a request to %s', async (_what, headers) => {
    const location = `${BASE_URL}${PUBLIC_PATHS.status}`;
    expect(await from(headers)).toEqual({ status: 307, location });
  });

  it.each(['data.example.com', 'data.example.com, cdn.example.com', ' data.example.com:443 ,x'])(
    'believes X-Forwarded-Host "%s" of a trusted proxy only',
    async (forwarded) => {
      const headers = { Host: '10.0.0.7:8080', 'X-Forwarded-Host': forwarded };
      expect((await from(headers, behindProxy)).status).toBe(200);
      expect((await from(headers)).status).toBe(307);
    },
  );

  it('takes the first host of a list, as Express does, and still that of the request', async () => {
    const other = { 'X-Forwarded-Host': 'api.example.com, data.example.com' };
    expect((await from({ Host: '10.0.0.7:8080', ...other }, behindProxy)).status).toBe(307);
    expect((await from({ Host: 'data.example.com', ...other }, behindProxy)).status).toBe(200);
  });
});

it('serves public files at the address that it listens on, as a start without a CDN has it', async () => {
  const { endpoint, dispose } = await startLoopbackServer(() => undefined);
  await dispose();
  const port = Number(new URL(endpoint).port); // free a moment ago
  const configuration = { ...S3, port, publicBaseUrl: `http://127.0.0.1:${port}` };
  const alone = await startGateway({ store, configuration });
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const response = await fetch(`http://${host}:${port}/`); // follows redirects
      expect([host, response.status, response.url]).toEqual([host, 200, `http://127.0.0.1:${port}/`]);
    }
  } finally {
    await alone.stop();
  }
});

it('serves a script of a release that it does not know yet: another copy may have sent a page of it', async () => {
  const shared = await openSmallRelease();
  const newer = await readCurrent(shared);
  const script = Object.keys(newer.public).find(isAssetPath) ?? '';
  const point = async (changed: ReleaseRecord): Promise<void> => {
    const text = canonicalJson(changed);
    const { revision, sequence } = changed;
    const sha256 = sha256Hex(text);
    const pointer = canonicalJson({ schema: 'pointer/1', revision, sequence, sha256 });
    const key = releaseKey(revision, sha256);
    await shared.compareAndSwap(key, Buffer.from(text), null, metaOf(key));
    const { etag = null } = (await shared.head(POINTER_KEY)) ?? {};
    await shared.compareAndSwap(POINTER_KEY, Buffer.from(pointer), etag, metaOf(POINTER_KEY));
  };
  const { [script]: _script, [PAGE_PATHS.siteFiles]: _site, ...others } = newer.public; // without the list of its site
  await point({ ...newer, public: others });
  const copy = await startGateway({ store: shared });
  try {
    expect(await readProblemCode(await copy.request(script))).toBe('not-found');
    await point({ ...newer, sequence: newer.sequence + 1 });
    await sleep(1_000); // it polls at most once a second
    expect((await copy.request(script)).status).toBe(200);
    expect(await readProblemCode(await copy.request('/assets/site-0000000000000000.js'))).toBe('not-found');
  } finally {
    await copy.stop();
  }
});

it('serves every public file as listed in the release', async () => {
  for (const [path, { sha256, bytes, type, revision }] of Object.entries(record.public)) {
    const response = await send(path);
    const body = await bytesOf(response);
    expect([path, response.status, sha256Hex(body), body.length]).toEqual([path, 200, sha256, bytes]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes),
      etag: etagOf(path),
      'cache-control': cacheControlOf(publicKey(path)),
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'x-content-sha256': sha256,
      'x-published-revision': revision,
      'x-content-type-options': 'nosniff',
    });
  }
});

it('sends a content security policy for charts, pages and data', async () => {
  const own: Record<string, string> = {
    'image/svg+xml': "default-src 'none';style-src 'unsafe-inline'",
    'text/html; charset=utf-8':
      "img-src 'self';script-src 'self';connect-src 'self';base-uri 'none';form-action 'none';font-src 'none';frame-src 'none';manifest-src 'none';media-src 'none';object-src 'none';worker-src 'none'",
  };
  for (const [path, { type }] of examples()) {
    const ancestors = path.startsWith(EMBED_PATH) ? '*' : "'none'"; // any page may embed these
    const policy = `${own[type] ?? "default-src 'none'"};frame-ancestors ${ancestors}`;
    const known = { 'If-None-Match': etagOf(path) };
    for (const response of [await send(path), await send(path, {}, 'HEAD'), await send(path, known)]) {
      expect([path, response.headers.get('content-security-policy')]).toEqual([path, policy]);
    }
  }
  // The charts of the overview and the chain, and the icon.
  expect(Object.values(record.public).filter(({ type }) => type === 'image/svg+xml')).toHaveLength(3);
});

it('counts pages and files under separate routes', async () => {
  await send(PAGE_PATHS.docs);
  expect(here.log()).toContain('"route":"/{page}"');
});

it('lets caches keep the current files for one minute and the others for five', async () => {
  const sentCacheControl = async (path: string): Promise<string | null> =>
    (await send(path)).headers.get('cache-control');
  for (const path of [STATUS, LANDING, PUBLIC_PATHS.release, summaryPath('base')]) {
    expect(await sentCacheControl(path)).toBe('public, max-age=60, stale-while-revalidate=60');
  }
  for (const path of [CALENDAR, PUBLIC_PATHS.glossary, methodologyTextPath('v1')]) {
    expect(await sentCacheControl(path)).toBe('public, max-age=300, stale-while-revalidate=86400');
  }
});

it('sends a file name for the calendar, and none for the status', async () => {
  expect((await send(CALENDAR)).headers.get('content-disposition')).toBe(
    'attachment; filename="base-regime-calendar.csv"',
  );
  expect((await send(STATUS)).headers.get('content-disposition')).toBeNull();
});

it.each([
  ['exact', (etag: string) => etag],
  ['weak', (etag: string) => `W/${etag}`],
  ['a list', (etag: string) => `"a", W/"b",${etag} , "c"`],
  ['a star', () => '*'],
])('answers 304 to a matching ETag: %s', async (_name, make) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await send(CALENDAR, { 'If-None-Match': make(etagOf(CALENDAR)) }, method);
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: etagOf(CALENDAR),
      'cache-control': cacheControlOf(publicKey(CALENDAR)),
      'access-control-allow-origin': '*',
    });
  }
});

it.each(['"sha256:other"', 'sha256', '""', `"sha256:${'0'.repeat(64)}"`])(
  'sends the file when the ETag does not match: %s',
  async (etag) => {
    expect((await send(CALENDAR, { 'If-None-Match': etag })).status).toBe(200);
  },
);

it('ignores If-Modified-Since, because two releases can share a second', async () => {
  const later = new Date(Date.now() + 86_400_000).toUTCString();
  expect((await send(STATUS, { 'If-Modified-Since': later })).status).toBe(200);
});

it('answers HEAD with the headers of GET', async () => {
  for (const [path] of examples()) {
    const [get, head] = [await send(path), await send(path, { Range: 'bytes=0-1' }, 'HEAD')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-disposition']) {
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    }
  }
});

describe('a range', () => {
  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=10-10', 10, 11],
    ['bytes=-5', -5, undefined],
    ['bytes=20-', 20, undefined],
    ['bytes=20-99999999', 20, undefined],
    ['bytes=-99999999', 0, undefined],
  ])('%s is answered with 206 and the range', async (range, start, end) => {
    const whole = await bytesOf(await send(CALENDAR));
    const response = await send(CALENDAR, { Range: range });
    const part = whole.slice(start, end);
    expect([response.status, sha256Hex(await bytesOf(response))]).toEqual([206, sha256Hex(part)]);
    const first = start < 0 ? whole.length + start : start;
    expect(response.headers.get('content-range')).toBe(
      `bytes ${first}-${first + part.length - 1}/${whole.length}`,
    );
    expect([response.headers.get('etag'), response.headers.get('content-type')]).toEqual([
      etagOf(CALENDAR),
      'text/csv; charset=utf-8',
    ]);
  });

  it.each(['lines=0-9', 'bytes=0-1,5-6', 'nonsense', ''])(
    '%j is answered with the whole file',
    async (range) => {
      const response = await send(CALENDAR, { Range: range });
      expect([response.status, sha256Hex(await bytesOf(response))]).toEqual([
        200,
        record.public[CALENDAR]?.sha256,
      ]);
    },
  );

  it('past the end is answered with 416 and the length', async () => {
    const size = record.public[CALENDAR]?.bytes ?? 0;
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const response = await send(CALENDAR, { Range: range });
      expect(response.headers.get('content-range')).toBe(`bytes */${size}`);
      expect(await readProblemCode(response)).toBe('range-not-satisfiable');
    }
  });

  it('respects If-Range: a range of the same file, or the whole new file', async () => {
    const statusOf = async (ifRange: string): Promise<number> =>
      (await send(CALENDAR, { Range: 'bytes=0-9', 'If-Range': ifRange })).status;
    expect(await statusOf(etagOf(CALENDAR))).toBe(206);
    expect(await statusOf(`W/${etagOf(CALENDAR)}`)).toBe(200);
    expect(await statusOf('"sha256:other"')).toBe(200);
    expect(await statusOf(new Date().toUTCString())).toBe(200);
  });
});

it('takes no parameters', async () => {
  for (const query of ['?x', '?v=1', '?chain=base', '?%00', '?api_key=x', '?=', '?a=1&a=2']) {
    expect([query, await readProblemCode(await send(STATUS + query))]).toEqual([query, 'request-malformed']);
  }
  expect((await send(`${STATUS}?`)).status).toBe(200);
});

it('answers 404 for a chain that was never published', async () => {
  for (const path of [summaryPath('bitcoin'), calendarPath('ethereum')]) {
    expect(await readProblemCode(await send(path))).toBe('not-found');
  }
  for (const path of [STATUS, LANDING]) {
    expect(Object.keys((await readDocument(await send(path))).chains ?? {})).toEqual(['base']);
  }
});

it('needs no key and ignores it', async () => {
  expect((await send(STATUS, { 'X-API-Key': 'nonsense', Authorization: 'Bearer x' })).status).toBe(200);
});

describe('before the first release', () => {
  it('answers not-published for every path of a release, and serves the problem pages', async () => {
    const empty = await startGateway({ store: createMemoryStore() });
    const codeOf = async (path: string): Promise<string> => readProblemCode(await empty.request(path));
    const isProblem = (path: string): boolean => path.startsWith('/problems/');
    for (const [path] of examples()) {
      if (isProblem(path)) expect((await empty.request(path)).status).toBe(200);
      else expect([path, await codeOf(path)]).toEqual([path, 'not-published']);
    }
    expect(await codeOf('/api/v1/nothing')).toBe('not-found');
    expect((await empty.request('/readyz')).status).toBe(503);
    await empty.stop();
  });
});

describe('with an S3 store', () => {
  it('redirects to the public base URL and sends no bytes', async () => {
    for (const [path, { sha256 }] of examples()) {
      for (const method of ['GET', 'HEAD']) {
        const response = await elsewhere.request(path, { method });
        expect([response.status, await response.text()]).toEqual([307, '']);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          location: BASE_URL + path,
          'cache-control': 'public, max-age=60',
          'x-content-sha256': sha256,
          'access-control-allow-origin': '*',
        });
      }
    }
    const known = await elsewhere.request(STATUS, { headers: { 'If-None-Match': etagOf(STATUS) } });
    expect([known.status, known.headers.get('location')]).toEqual([304, null]);
    expect(await readProblemCode(await elsewhere.request(`${STATUS}?x`))).toBe('request-malformed');
    expect(await readProblemCode(await elsewhere.request(summaryPath('bitcoin')))).toBe('not-found');
  });

  it('redirects a subscriber to the bucket and names the bucket nowhere else', async () => {
    const path = bundlePath('gold', 'base', '7d');
    const key = await elsewhere.createKey({ plan: 'research' });
    const response = await elsewhere.request(path, { headers: { 'X-API-Key': key } });
    const { location, ...others } = Object.fromEntries(response.headers);
    const url = new URL(location ?? '');
    expect([response.status, url.host]).toEqual([307, 'some-bucket.s3.eu-central-1.amazonaws.com']);
    expect(url.pathname).toBe(`/prefix/${objectKey(record.bundles[path]?.sha256 ?? '')}`);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    for (const text of [JSON.stringify(others), await response.text(), elsewhere.log()]) {
      expect(text).not.toMatch(/some-bucket|X-Amz|AKIA|planted/);
    }
  });

  it('has no directory links', async () => {
    expect(await readProblemCode(await elsewhere.request(`/_objects/${'0'.repeat(64)}`))).toBe('not-found');
  });
});

it('answers 304 without a request to the store', async () => {
  const asked: string[] = [];
  const watched = interceptStore(store, ({ key }, run) => {
    asked.push(key);
    return run();
  });
  const gateway = await startGateway({ store: watched });
  asked.length = 0;
  const headers = { 'If-None-Match': etagOf(STATUS) };
  for (let i = 0; i < 3; i += 1) expect((await gateway.request(STATUS, { headers })).status).toBe(304);
  expect(asked).toEqual([]);
  await gateway.stop();
});
