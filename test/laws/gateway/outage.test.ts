import { bundlePath, dayPath } from '../../../schemas/paths.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { openAccountsStore } from '../../../gateway/io/accounts/accounts-store.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { startRefusingS3 } from '../../support/s3/refusing-s3.js';
import { createOutageStore } from '../../support/stores/outage-store.js';
import { plantCredentials } from '../../support/process/planted-credentials.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const TOMORROW = dayPath('gold', 'base', '2022-01-11');
const series = (days: number) => randomSeries({ chain: 'base', seed: 7, days });

/** Text of the store's error that a response must not contain. */
const SECRET = 'planted-bucket';

describe.each(['down', 'hanging'] as const)('while a store is %s', (outage) => {
  const store = createMemoryStore();
  const releases = createOutageStore(store, SECRET);
  const accounts = createOutageStore(createMemoryStore(), SECRET);
  let nowMs = Date.parse('2022-01-11T06:00:00Z');
  let gateway: GatewayServer;
  let key: string;
  const send = async (
    path: string,
    withKey = key,
  ): Promise<{ status: number; code: unknown; seconds: number; retry: string | null }> => {
    const startedMs = performance.now();
    const response = await gateway.request(path, { headers: { 'X-API-Key': withKey } });
    const text = await response.text();
    const body = text.startsWith('{') ? (JSON.parse(text) as { code?: unknown; status?: unknown }) : {};
    const seconds = (performance.now() - startedMs) / 1000;
    return {
      status: response.status,
      code: body.code ?? body.status, // of a problem, or the status of readiness
      seconds,
      retry: response.headers.get('retry-after'),
    };
  };
  beforeAll(async () => {
    await publishSeries(store, { inputs: [series(10)], asOf: '2022-01-11' });
    gateway = await startGateway({
      store: releases.store,
      accountsStore: accounts.store,
      now: () => nowMs,
    });
    key = await gateway.createKey({ account: 'acme', plan: 'research' });
  });
  beforeEach(async () => {
    releases.state = 'up';
    accounts.state = 'up';
    expect((await send(BUNDLE)).status).toBe(307);
  });
  afterAll(() => gateway.stop());

  it('known files are still redirected and no request waits long, if it is the store of releases', async () => {
    releases.state = outage;
    const [known, later, ready] = [await send(BUNDLE), await send(TOMORROW), await send('/readyz')];
    expect([known.status, later.status, ready.status]).toEqual([307, 503, 200]);
    expect(later).toMatchObject({ code: 'store-unavailable', retry: '10' });
    expect(Math.max(known.seconds, ready.seconds)).toBeLessThan(1);
    expect(later.seconds).toBeLessThan(5);
    // A poll that hangs has not failed yet.
    if (outage === 'down') expect(ready.code).toBe('degraded');
    releases.state = 'up';
  });

  it('known keys are accepted for ten minutes, if it is the accounts store', async () => {
    accounts.state = outage;
    for (const seconds of [15, 21, 29, 45, 60, 120, 300, 590]) {
      const at = nowMs;
      nowMs = at + seconds * 1000;
      const { status, seconds: took } = await send(BUNDLE);
      nowMs = at;
      expect([seconds, status]).toEqual([seconds, 307]);
      expect(took).toBeLessThan(4);
    }
  }, 300_000);

  it('an unknown key gets 503 with Retry-After in a short time, if it is the accounts store', async () => {
    const other = await gateway.createKey({ plan: 'research' });
    accounts.state = outage;
    const refused = await send(BUNDLE, other);
    expect(refused).toMatchObject({
      status: 503,
      code: 'store-unavailable',
      retry: expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(refused.seconds).toBeLessThan(4);
    accounts.state = 'up';
    expect((await send(BUNDLE, other)).status).toBe(307);
  });

  it('the error of the store is not revealed', async () => {
    accounts.state = outage;
    const response = await gateway.request('/api/v1/entitlements', { headers: { 'X-API-Key': key } });
    expect(await response.text()).not.toContain(SECRET);
  });
});

describe('before the first release', () => {
  let gateway: GatewayServer;
  let key: string;
  const store = createMemoryStore();
  beforeAll(async () => {
    gateway = await startGateway({ store });
    key = await gateway.createKey({ plan: 'research' });
  });
  afterAll(() => gateway.stop());

  it.each([BUNDLE, '/api/v1/status', '/readyz'])('%s is 503', async (path) => {
    expect((await gateway.request(path, { headers: { 'X-API-Key': key } })).status).toBe(503);
  });

  it('a request for a file finds the first release', async () => {
    await publishSeries(store, { inputs: [series(3)], asOf: '2022-01-04' });
    expect((await gateway.request(BUNDLE, { headers: { 'X-API-Key': key } })).status).toBe(307);
    expect((await gateway.request('/readyz')).status).toBe(200);
  });
});

it('the gateway starts while the accounts store is down, and serves what needs no key', async () => {
  const s3 = await startRefusingS3();
  s3.refuse({ status: 503, code: 'SlowDown' });
  const restoreEnvironment = plantCredentials();
  const address = 's3://some-accounts?region=eu-central-1';
  const options = { s3: { endpoint: s3.endpoint, pathStyle: true }, retryPeriodMs: 100 };
  await expect(openAccountsStore(address, options)).rejects.toMatchObject({ code: 'unavailable' });
  const accountsStore = await openAccountsStore(address, { ...options, mayBeDown: true });
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [series(3)], asOf: '2022-01-04' });
  const gateway = await startGateway({ store, accountsStore });
  const ready = await (await gateway.request('/readyz')).json();
  expect(ready).toMatchObject({ status: 'degraded', stores: { releases: 'ok', accounts: 'unreachable' } });
  expect((await gateway.request('/api/v1/status')).status).toBe(200);
  await gateway.stop();
  await s3.dispose();
  restoreEnvironment();
});
