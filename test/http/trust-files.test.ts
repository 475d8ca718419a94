import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { sha256Hex } from '../../schemas/digest.js';
import { publicKey, PUBLIC_PATHS, TRUST_PATHS } from '../../schemas/paths.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { verifySite } from '../../schemas/trust/verify-site.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readDocument, readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { putText, putTrustFiles, type TrustTexts } from '../support/release/trust-files.js';
import { interceptStore } from '../support/stores/intercept-store.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

const PATHS = Object.values(TRUST_PATHS);
const { keys: KEYS, timestamp: TIMESTAMP, statement: STATEMENT, releases: RELEASES } = TRUST_PATHS;
const TYPES = {
  [KEYS]: 'application/jose',
  [TIMESTAMP]: 'application/jose',
  [STATEMENT]: 'application/jose',
  [RELEASES]: 'application/json',
};
/** Time limit of a read that hangs. */
const STORE_MS = 2_000;
const BASE_URL = 'https://data.example.com/v';

const clock = { ms: Date.parse('2026-08-20T12:00:00Z') };
/** What the store does with reads of trust files. */
const reads: { state: 'up' | 'down' | 'hanging'; keys: string[] } = { state: 'up', keys: [] };
let store: ObjectStore;
let gateway: GatewayServer;
let texts: TrustTexts;
let anchor: TrustAnchor;

const isTrustKey = (key: string): boolean => key.endsWith('.jws') || key === publicKey(RELEASES);

/** Returns the store with a record of the reads of trust files, which can fail or hang. */
const watch = (behind: ObjectStore): ObjectStore =>
  interceptStore(behind, ({ name, key }, run) => {
    if (name !== 'get' || !isTrustKey(key)) return run();
    reads.keys.push(key);
    if (reads.state === 'down') return Promise.reject(new StoreError('unavailable', 'no answer'));
    return reads.state === 'hanging' ? new Promise(() => undefined) : run();
  });

beforeAll(async () => {
  store = await openSmallRelease();
  ({ texts, anchor } = await putTrustFiles(store, clock.ms));
  gateway = await startGateway({ store: watch(store), now: () => clock.ms, storeMs: STORE_MS });
});
beforeEach(() => {
  clock.ms += 61_000; // expires cached files and resets the rate limits
  Object.assign(reads, { state: 'up', keys: [] });
});
afterAll(() => gateway.stop());

const send = (path: string, init?: RequestInit, server = gateway): Promise<Response> =>
  server.request(path, init);

describe.each(PATHS)('%s', (path) => {
  it('is sent as it is in the store, to any origin', async () => {
    const response = await send(path, { headers: { Origin: 'https://any.example' } });
    const headers = Object.fromEntries(response.headers);
    expect([response.status, await response.text()]).toEqual([200, texts[path]]);
    expect(headers).toMatchObject({
      'content-type': TYPES[path],
      'content-length': String(texts[path].length),
      'cache-control': 'public, max-age=60',
      etag: `"sha256:${sha256Hex(texts[path])}"`,
      'x-content-sha256': sha256Hex(texts[path]),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(Object.keys(headers)).not.toContain('ratelimit'); // caches send the response to others
    expect(Object.keys(headers)).not.toContain('x-published-revision'); // no release lists it
  });

  it('is described by HEAD and revalidated by its ETag', async () => {
    const head = await send(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(texts[path].length),
      '',
    ]);
    for (const method of ['GET', 'HEAD']) {
      const etag = head.headers.get('etag') ?? '';
      const known = await send(path, { method, headers: { 'If-None-Match': etag } });
      expect([known.status, known.headers.get('etag'), known.headers.get('cache-control')]).toEqual([
        304,
        etag,
        'public, max-age=60',
      ]);
    }
  });

  it('takes no query and no other method', async () => {
    expect(await readProblemCode(await send(`${path}?v=1`))).toBe('request-malformed');
    const posted = await send(path, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('is a redirect if another host serves the public files', async () => {
    const elsewhere = await startGateway({
      store,
      configuration: {
        store: { kind: 's3', address: 's3://some-bucket/prefix?region=eu-central-1' },
        linkSecrets: [],
        publicBaseUrl: BASE_URL,
      },
    });
    const response = await send(path, {}, elsewhere);
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
      307,
      BASE_URL + path,
      '',
    ]);
    await elsewhere.stop();
  });

  it('is 404 with an explanation in a store that is not signed', async () => {
    const unsigned = await startGateway({ store: await openSmallRelease() });
    const response = await send(path, {}, unsigned);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const { code, detail } = await readProblem(response);
    expect([code, detail]).toEqual([
      'not-found',
      expect.stringMatching(/this site does not sign its releases/i),
    ]);
    expect((await send(PUBLIC_PATHS.status, {}, unsigned)).status).toBe(200);
    await unsigned.stop();
  });

  it('is sent as it was last while the store does not answer, without waiting for each request', async () => {
    await send(path);
    for (const state of ['down', 'hanging'] as const) {
      reads.state = state;
      clock.ms += 2_000;
      expect(await (await send(path)).text()).toBe(texts[path]);
      clock.ms += 2_000;
      const startedMs = performance.now();
      expect(await (await send(path)).text()).toBe(texts[path]);
      expect(performance.now() - startedMs).toBeLessThan(STORE_MS / 2);
    }
    expect(await readDocument(await send('/readyz'))).toMatchObject({ status: 'ready' });
  });
});

it('lets a reader verify the whole site', async () => {
  const proof = await verifySite({
    anchor,
    now: () => clock.ms,
    sha256: sha256Hex,
    concurrency: 8,
    async read(path) {
      const response = await send(path);
      if (response.status === 404) return undefined;
      return { bytes: new Uint8Array(await response.arrayBuffer()), isCached: false };
    },
  });
  expect(proof).toMatchObject({ releases: 1, verified: proof.files });
  expect(proof.files).toBeGreaterThan(50);
});

it('reads each file once at a time and once a second, whatever the number of requests', async () => {
  const many = (): Promise<Response[]> => Promise.all(Array.from({ length: 20 }, () => send(TIMESTAMP)));
  await many();
  clock.ms += 900;
  await many();
  expect(reads.keys).toEqual([publicKey(TIMESTAMP)]);
  clock.ms += 200;
  await many();
  expect(reads.keys).toHaveLength(2);
});

it('sends a renewed timestamp after a second', async () => {
  await send(TIMESTAMP);
  await putText(store, publicKey(TIMESTAMP), 'e30.e30.renewed');
  clock.ms += 1_000;
  expect(await (await send(TIMESTAMP)).text()).toBe('e30.e30.renewed');
  await putText(store, publicKey(TIMESTAMP), texts[TIMESTAMP]);
});

it('sends the statement about the release that it serves, not the copy of a later one', async () => {
  await putText(store, publicKey(STATEMENT), 'e30.e30.later');
  expect(await (await send(STATEMENT)).text()).toBe(texts[STATEMENT]);
});

it('looks for the release of a later timestamp, so that readers do not find a mixture', async () => {
  const growing = createMemoryStore();
  const publish = (days: number): Promise<unknown> =>
    publishSeries(growing, {
      inputs: [randomSeries({ chain: 'base', seed: 7, days })],
      asOf: `2022-01-0${days + 1}`,
    });
  await publish(3);
  const server = await startGateway({ store: growing }); // polls every five minutes
  await publish(4);
  const second = await putTrustFiles(growing, Date.now());
  expect((await send(STATEMENT, {}, server)).status).toBe(404); // of the first release
  expect(await (await send(TIMESTAMP, {}, server)).text()).toBe(second.texts[TIMESTAMP]);
  expect(await (await send(STATEMENT, {}, server)).text()).toBe(second.texts[STATEMENT]);
  await server.stop();
});

it('answers 503 while the store does not answer and nothing is known, or the file is too large', async () => {
  const fresh = await startGateway({ store: watch(store), now: () => clock.ms, storeMs: STORE_MS });
  for (const state of ['down', 'hanging'] as const) {
    reads.state = state;
    clock.ms += 2_000;
    expect(await readProblemCode(await send(KEYS, {}, fresh))).toBe('store-unavailable');
  }
  reads.state = 'up';
  clock.ms += 2_000;
  await putText(store, publicKey(KEYS), 'x'.repeat(10_000_001));
  expect(await readProblemCode(await send(KEYS, {}, fresh))).toBe('store-unavailable');
  expect(fresh.log()).toContain('has more than 10000000 bytes');
  await putText(store, publicKey(KEYS), texts[KEYS]);
  clock.ms += 2_000;
  expect((await send(KEYS, {}, fresh)).status).toBe(200);
  await fresh.stop();
});

it('answers not-published before the first release', async () => {
  const empty = await startGateway({ store: createMemoryStore() });
  for (const path of PATHS)
    expect([path, await readProblemCode(await send(path, {}, empty))]).toEqual([path, 'not-published']);
  await empty.stop();
});

it('is counted by address and under the route of public files', async () => {
  const limited = await startGateway({
    store,
    configuration: { limits: { keyPerMinute: 100, addressPerMinute: 4 } },
  });
  const statuses = [];
  for (const path of [...PATHS, KEYS]) statuses.push((await send(path, {}, limited)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  expect(limited.log()).toContain('"route":"/api/v1/{public}"');
  await limited.stop();
});
