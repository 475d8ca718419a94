import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath, calendarPath, dayPath, manifestPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { readDocument, readProblem, readProblemCode } from '../../support/gateway/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../../support/gateway/identity-provider.js';
import { createOutageStore } from '../../support/stores/outage-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const DAY = dayPath('gold', 'base', '2022-01-02');
const MANIFEST = manifestPath('gold', 'base');
const CALENDAR = calendarPath('base');
const POLL_MS = 200;
const STORE_MS = 400;
/** Maximum duration of a request that waits for a store: three seconds for a poll, and some overhead. */
const MAX_MS = 4_000;
/** Time limit of four requests that do not wait for the store. */
const PROMPT_MS = 1_000;
const SECONDS: unknown = expect.stringMatching(/^[1-9]\d*$/);

const releases = createOutageStore(createMemoryStore());
const accounts = createOutageStore(createMemoryStore());
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
  Object.assign(releases, { state: 'up' });
  Object.assign(accounts, { state: 'up' });
  await until('ready');
});
afterAll(async () => {
  await gateway.stop();
  await provider.dispose();
});

const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  gateway.request(path, { method, headers: { 'X-API-Key': key, ...headers } });

async function readiness(): Promise<unknown> {
  return readDocument(await gateway.request('/readyz'));
}

/** Waits until the gateway reports this status. */
async function until(status: string): Promise<void> {
  const endMs = performance.now() + 5_000;
  while (performance.now() < endMs) {
    if ((await readDocument(await gateway.request('/readyz'))).status === status) return;
    await sleep(20);
  }
  throw new Error(`the gateway did not become ${status}: ${JSON.stringify(await readiness())}`);
}

/** Expects a 503 in time, with Retry-After. */
async function expectUnavailable(asked: Promise<Response>): Promise<void> {
  const startedMs = performance.now();
  const problem = await readProblem(await asked); // with Retry-After
  expect([problem.status, problem.code]).toEqual([503, 'store-unavailable']);
  expect(performance.now() - startedMs).toBeLessThan(MAX_MS);
}

describe.each(['down', 'hanging'] as const)('while the releases store is %s', (state) => {
  beforeEach(async () => {
    const link = (await send(BUNDLE)).headers.get('location') ?? '';
    expect((await fetch(link)).status).toBe(200);
    releases.state = state;
    await until('degraded');
  });

  it('the gateway is ready, reports the outage, and counts each failure', async () => {
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

  it('files are still redirected, described and revalidated without delay', async () => {
    for (const path of [BUNDLE, DAY, MANIFEST]) {
      const startedMs = performance.now();
      const redirect = await send(path);
      expect([redirect.status, redirect.headers.get('location')]).toEqual([307, expect.any(String)]);
      expect((await send(`${path}?redirect=false`)).status).toBe(200);
      expect((await send(path, {}, 'HEAD')).status).toBe(307);
      const digest = redirect.headers.get('x-content-sha256') ?? '';
      const known = await send(path, { 'If-None-Match': `"sha256:${digest}"` });
      expect(known.status).toBe(304);
      expect(performance.now() - startedMs).toBeLessThan(PROMPT_MS);
    }
  });

  it('a new key is accepted, and one without the plan is refused', async () => {
    expect((await send(BUNDLE, { 'X-API-Key': await gateway.createKey({ plan: 'research' }) })).status).toBe(
      307,
    );
    const other = await gateway.createKey({ plan: 'single-chain', chain: 'bitcoin' });
    expect(await readProblemCode(await send(BUNDLE, { 'X-API-Key': other }))).toBe('not-entitled');
  });

  it('responses that need the store are 503 in time, and the others still work', async () => {
    const follow = async (path: string): Promise<Response> => {
      const link = new URL((await send(path)).headers.get('location') ?? '');
      return send(link.pathname + link.search);
    };
    expect((await follow(BUNDLE)).status).toBe(200); // its bytes were read before
    await expectUnavailable(follow(DAY));
    await expectUnavailable(send(CALENDAR));
    expect((await send(CALENDAR, {}, 'HEAD')).status).toBe(200);
    expect((await send(CALENDAR, { 'If-None-Match': '*' })).status).toBe(304);
  });

  it('a date that may be new is 503 in time, instead of 404', async () => {
    const startedMs = performance.now();
    await expectUnavailable(send(dayPath('gold', 'base', '2022-01-31')));
    expect(performance.now() - startedMs).toBeLessThan(MAX_MS);
  });

  it('a release that is published after the outage is found by the next poll', async () => {
    const before = (await send(MANIFEST)).headers.get('x-content-sha256');
    releases.state = 'up';
    await publish(releases.store, state === 'down' ? 6 : 7); // one date more each time
    await sleep(2 * POLL_MS + STORE_MS); // a poll that still waits for the store, and the next one
    const after = (await send(MANIFEST)).headers.get('x-content-sha256');
    expect(after).not.toBe(before);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });
});

describe.each(['down', 'hanging'] as const)('while the accounts store is %s', (state) => {
  beforeEach(async () => {
    expect((await send(BUNDLE)).status).toBe(307);
    expect((await gateway.request('/api/v1/keys', { headers: { Authorization: session } })).status).toBe(200);
    accounts.state = state;
  });

  it('a known key is accepted without delay', async () => {
    const startedMs = performance.now();
    for (const path of [BUNDLE, DAY, MANIFEST]) expect((await send(path)).status).toBe(307);
    expect(performance.now() - startedMs).toBeLessThan(STORE_MS);
  });

  it('an unknown key gets 503 in time with every request, and the status becomes degraded', async () => {
    accounts.state = 'up';
    const other = await gateway.createKey({ plan: 'research' });
    accounts.state = state;
    for (let i = 0; i < 2; i += 1) await expectUnavailable(send(BUNDLE, { 'X-API-Key': other }));
    expect(await readiness()).toMatchObject({ status: 'degraded', stores: { accounts: 'unreachable' } });
    accounts.state = 'up';
    expect((await send(BUNDLE, { 'X-API-Key': other })).status).toBe(307);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });

  it('an invalid key is rejected without reading the store', async () => {
    const response = await send(BUNDLE, { 'X-API-Key': `${key.slice(0, -1)}!` });
    expect(await readProblemCode(response)).toBe('api-key-invalid');
  });

  it.each([
    ['GET', '/api/v1/keys'],
    ['POST', '/api/v1/keys'],
    ['DELETE', '/api/v1/keys?id=Abcdefgh'],
    ['GET', '/api/v1/entitlements'],
  ])('%s %s with a session is 503 in time', async (method, path) => {
    await expectUnavailable(gateway.request(path, { method, headers: { Authorization: session } }));
  });
});

describe('before the first release', () => {
  const empty = createOutageStore(createMemoryStore());
  let early: GatewayServer;
  let earlyKey: string;
  beforeAll(async () => {
    empty.state = 'down';
    early = await startGateway({ store: empty.store, storeMs: STORE_MS });
    empty.state = 'up';
    earlyKey = await early.createKey({ plan: 'research' });
  });
  afterAll(() => early.stop());
  const askEarly = (path: string, method = 'GET', apiKey = earlyKey): Promise<Response> =>
    early.request(path, { method, headers: { 'X-API-Key': apiKey } });

  it('every file is 503 with Retry-After for an entitled caller', async () => {
    const paths = [
      BUNDLE,
      DAY,
      MANIFEST,
      `${DAY}?revision=2022-01-06.000001`,
      CALENDAR,
      ...Object.values(PUBLIC_PATHS),
    ];
    expect(await readProblemCode(await askEarly(CALENDAR))).toBe('store-unavailable'); // unknown before a poll succeeds
    await askEarly(BUNDLE); // triggers a poll
    const problems = await Promise.all(paths.map(async (path) => readProblem(await askEarly(path))));
    expect(problems.map(({ code }) => code)).toEqual(paths.map(() => 'not-published'));
    const heads = await Promise.all(paths.map((path) => askEarly(path, 'HEAD')));
    expect(heads.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      paths.map(() => [503, SECONDS]),
    );
  });

  it('a caller without entitlement gets 401 or 403', async () => {
    expect((await early.request(BUNDLE)).status).toBe(401);
    expect((await askEarly(BUNDLE, 'GET', await early.createKey())).status).toBe(403);
  });

  it('the gateway is alive and not ready, and its problem pages work', async () => {
    const ready = await early.request('/readyz');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, SECONDS]);
    expect(await readDocument(ready)).toMatchObject({ status: 'not-ready', release: null });
    expect((await early.request('/healthz')).status).toBe(200);
    expect((await early.request('/problems/not-published')).status).toBe(200);
  });

  it('a request for a file finds the first release', async () => {
    await publish(empty.store, 5);
    expect((await askEarly(BUNDLE)).status).toBe(307);
    expect((await early.request('/readyz')).status).toBe(200);
  });
});
