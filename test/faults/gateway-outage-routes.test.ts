import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath, calendarPath, dayPath, manifestPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { readDocument, readProblem, readProblemCode } from '../fixtures/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import { createMoodyStore } from '../fixtures/moody-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const DAY = dayPath('gold', 'base', '2022-01-02');
const MANIFEST = manifestPath('gold', 'base');
const CALENDAR = calendarPath('base');
const POLL_MS = 200;
const STORE_MS = 400;
/** How long a request may take that has to wait for a store: three seconds for a look, with all that comes on top. */
const LONG_MS = 4_000;
const SECONDS: unknown = expect.stringMatching(/^[1-9]\d*$/);

const releases = createMoodyStore(createMemoryStore());
const accounts = createMoodyStore(createMemoryStore());
let provider: IdentityProvider;
let gateway: GatewayServer;
let key: string;
let session: string;

const publish = (store: ObjectStore, days: number): Promise<unknown> =>
  publishSeries(store, {
    inputs: [randomSeries({ chain: 'base', seed: 7, days })],
    asOf: `2022-01-${String(days + 1).padStart(2, '0')}`,
  });

beforeAll(async () => {
  await publish(releases.store, 5);
  provider = await startIdentityProvider(() => Date.now());
  const { jwksUrl: url, issuer, audience } = provider;
  gateway = await startGateway({
    store: releases.store,
    accountsStore: accounts.store,
    storeMs: STORE_MS,
    configuration: {
      pollSeconds: POLL_MS / 1000,
      sessions: { jwks: { kind: 'url', url }, issuer, audience },
    },
  });
  key = await gateway.createKey({ account: 'acme', plan: 'research' });
  session = `Bearer ${await provider.sign({ account: 'acme' })}`;
});
afterEach(async () => {
  Object.assign(releases, { mood: 'up' });
  Object.assign(accounts, { mood: 'up' });
  await until('ready');
});
afterAll(async () => {
  await gateway.stop();
  await provider.dispose();
});

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  gateway.ask(path, { method, headers: { 'X-API-Key': key, ...headers } });

async function readiness(): Promise<unknown> {
  return readDocument(await gateway.ask('/readyz'));
}

/** Waits until the gateway says how it is. */
async function until(status: string): Promise<void> {
  const endMs = performance.now() + 5_000;
  while (performance.now() < endMs) {
    if ((await readDocument(await gateway.ask('/readyz'))).status === status) return;
    await sleep(20);
  }
  throw new Error(`it never became ${status}: ${JSON.stringify(await readiness())}`);
}

/** Asserts that a problem came in time, and says after how long to ask again. */
async function expectUnavailable(asked: Promise<Response>): Promise<void> {
  const startedMs = performance.now();
  const problem = await readProblem(await asked); // with Retry-After
  expect([problem.status, problem.code]).toEqual([503, 'store-unavailable']);
  expect(performance.now() - startedMs).toBeLessThan(LONG_MS);
}

describe.each(['down', 'hanging'] as const)('while the releases store is %s', (mood) => {
  beforeEach(async () => {
    const link = (await ask(BUNDLE)).headers.get('location') ?? '';
    expect((await fetch(link)).status).toBe(200);
    releases.mood = mood;
    await until('degraded');
  });

  it('the gateway says so, is ready, and counts each failure', async () => {
    const stores = { releases: 'unreachable', accounts: 'ok' };
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      stores,
      release: { sequence: expect.any(Number) },
    });
    for (const url of [gateway.url, gateway.operatorUrl]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    const metrics = await (await fetch(`${gateway.operatorUrl}/metrics`)).text();
    expect(metrics).toMatch(/^gateway_store_errors_total\{store="releases"\} [1-9]/m);
  });

  it('each file goes on to be redirected, described and known, at once', async () => {
    for (const path of [BUNDLE, DAY, MANIFEST]) {
      const startedMs = performance.now();
      const redirect = await ask(path);
      expect([redirect.status, redirect.headers.get('location')]).toEqual([307, expect.any(String)]);
      expect((await ask(`${path}?redirect=false`)).status).toBe(200);
      expect((await ask(path, {}, 'HEAD')).status).toBe(200);
      const known = await ask(path, { 'If-None-Match': redirect.headers.get('etag') ?? '' });
      expect(known.status).toBe(304);
      expect(performance.now() - startedMs).toBeLessThan(POLL_MS + 800);
    }
  });

  it('a key that nobody asked for yet is let in, and one without the plan is told so', async () => {
    expect((await ask(BUNDLE, { 'X-API-Key': await gateway.createKey({ plan: 'research' }) })).status).toBe(
      307,
    );
    const other = await gateway.createKey({ plan: 'single-chain', chain: 'bitcoin' });
    expect(await readProblemCode(await ask(BUNDLE, { 'X-API-Key': other }))).toBe('not-entitled');
  });

  it('what must be read from it is 503 in time, and what need not be goes on', async () => {
    const link = new URL((await ask(BUNDLE)).headers.get('location') ?? '');
    await expectUnavailable(ask(link.pathname + link.search));
    await expectUnavailable(ask(CALENDAR));
    expect((await ask(CALENDAR, {}, 'HEAD')).status).toBe(200);
    expect((await ask(CALENDAR, { 'If-None-Match': '*' })).status).toBe(304);
  });

  it('a date that may be new is answered in time, and not said to be absent', async () => {
    const startedMs = performance.now();
    await expectUnavailable(ask(dayPath('gold', 'base', '2022-01-31')));
    expect(performance.now() - startedMs).toBeLessThan(LONG_MS);
  });

  it('a release that came meanwhile is found within one poll of its end', async () => {
    const before = (await ask(MANIFEST)).headers.get('x-content-sha256');
    releases.mood = 'up';
    await publish(releases.store, mood === 'down' ? 6 : 7);
    await sleep(2 * POLL_MS + STORE_MS);
    const after = (await ask(MANIFEST)).headers.get('x-content-sha256');
    expect(after).not.toBe(before);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });
});

describe.each(['down', 'hanging'] as const)('while the accounts store is %s', (mood) => {
  beforeEach(async () => {
    expect((await ask(BUNDLE)).status).toBe(307);
    expect((await gateway.ask('/api/v1/keys', { headers: { Authorization: session } })).status).toBe(200);
    accounts.mood = mood;
  });

  it('a key that is known goes on at once', async () => {
    const startedMs = performance.now();
    for (const path of [BUNDLE, DAY, MANIFEST]) expect((await ask(path)).status).toBe(307);
    expect(performance.now() - startedMs).toBeLessThan(STORE_MS);
  });

  it('an unknown key is 503 in time, however often it asks, and makes it degraded', async () => {
    accounts.mood = 'up';
    const other = await gateway.createKey({ plan: 'research' });
    accounts.mood = mood;
    for (let i = 0; i < 2; i += 1) await expectUnavailable(ask(BUNDLE, { 'X-API-Key': other }));
    expect(await readiness()).toMatchObject({ status: 'degraded', stores: { accounts: 'unreachable' } });
    accounts.mood = 'up';
    expect((await ask(BUNDLE, { 'X-API-Key': other })).status).toBe(307);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });

  it('what is no key is told so without asking the store', async () => {
    const response = await ask(BUNDLE, { 'X-API-Key': `${key.slice(0, -1)}!` });
    expect(await readProblemCode(response)).toBe('api-key-invalid');
  });

  it.each([
    ['GET', '/api/v1/keys'],
    ['POST', '/api/v1/keys'],
    ['DELETE', '/api/v1/keys?id=Abcdefgh'],
    ['GET', '/api/v1/entitlements'],
  ])('%s %s of a session is 503 in time', async (method, path) => {
    await expectUnavailable(gateway.ask(path, { method, headers: { Authorization: session } }));
  });
});

describe('before the first release', () => {
  const empty = createMoodyStore(createMemoryStore());
  let early: GatewayServer;
  let earlyKey: string;
  beforeAll(async () => {
    empty.mood = 'down';
    early = await startGateway({ store: empty.store, storeMs: STORE_MS });
    empty.mood = 'up';
    earlyKey = await early.createKey({ plan: 'research' });
  });
  afterAll(() => early.stop());
  const askEarly = (path: string, method = 'GET', apiKey = earlyKey): Promise<Response> =>
    early.ask(path, { method, headers: { 'X-API-Key': apiKey } });

  it('every file is 503 to who may read it, and says when to ask again', async () => {
    const paths = [
      BUNDLE,
      DAY,
      MANIFEST,
      `${DAY}?revision=2022-01-06.000001`,
      CALENDAR,
      ...Object.values(PUBLIC_PATHS),
    ];
    expect(await readProblemCode(await askEarly(CALENDAR))).toBe('store-unavailable'); // nobody can know yet
    await askEarly(BUNDLE); // makes it look
    const problems = await Promise.all(paths.map(async (path) => readProblem(await askEarly(path))));
    expect(problems.map(({ code }) => code)).toEqual(paths.map(() => 'not-published'));
    const heads = await Promise.all(paths.map((path) => askEarly(path, 'HEAD')));
    expect(heads.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      paths.map(() => [503, SECONDS]),
    );
  });

  it('who may not read it learns nothing of that', async () => {
    expect((await early.ask(BUNDLE)).status).toBe(401);
    expect((await askEarly(BUNDLE, 'GET', await early.createKey())).status).toBe(403);
  });

  it('it is alive and not ready, and explains itself', async () => {
    const ready = await early.ask('/readyz');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, SECONDS]);
    expect(await readDocument(ready)).toMatchObject({ status: 'not-ready', release: null });
    expect((await early.ask('/healthz')).status).toBe(200);
    expect((await early.ask('/problems/not-published')).status).toBe(200);
  });

  it('the first release is found by who asks for a file of it', async () => {
    await publish(empty.store, 5);
    expect((await askEarly(BUNDLE)).status).toBe(307);
    expect((await early.ask('/readyz')).status).toBe(200);
  });
});
