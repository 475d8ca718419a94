import { bundlePath, dayPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { openAccountsStore } from '../../gateway/io/accounts-store.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { startRefusingS3 } from '../fixtures/refusing-s3.js';
import { watchStore } from '../fixtures/watched-store.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const TOMORROW = dayPath('gold', 'base', '2022-01-11');
const series = (days: number) => randomSeries({ chain: 'base', seed: 7, days });

type Weather = 'fine' | 'down' | 'hanging';

/** A store under a weather that a test makes. */
function weathered(store: ObjectStore, weather: () => Weather): ObjectStore {
  return watchStore(store, (_operation, run) => {
    if (weather() === 'down')
      return Promise.reject(new StoreError('unavailable', 's3://planted-bucket/x: no answer'));
    return weather() === 'hanging' ? new Promise(() => undefined) : run();
  });
}

describe.each(['down', 'hanging'] as const)('while a store is %s', (outage) => {
  const store = createMemoryStore();
  const weather: { releases: Weather; accounts: Weather } = { releases: 'fine', accounts: 'fine' };
  let nowMs = Date.parse('2022-01-11T06:00:00Z');
  let gateway: GatewayServer;
  let key: string;
  const ask = async (
    path: string,
    withKey = key,
  ): Promise<{ status: number; code: unknown; seconds: number; retry: string | null }> => {
    const startedMs = performance.now();
    const response = await gateway.ask(path, { headers: { 'X-API-Key': withKey } });
    const text = await response.text();
    const code = text.startsWith('{') ? (JSON.parse(text) as { code?: unknown; status?: unknown }) : {};
    const seconds = (performance.now() - startedMs) / 1000;
    return {
      status: response.status,
      code: code.code ?? code.status,
      seconds,
      retry: response.headers.get('retry-after'),
    };
  };
  beforeAll(async () => {
    await publishSeries(store, { inputs: [series(10)], asOf: '2022-01-11' });
    gateway = await startGateway({
      store: weathered(store, () => weather.releases),
      accountsStore: weathered(createMemoryStore(), () => weather.accounts),
      now: () => nowMs,
    });
    key = await gateway.createKey({ account: 'acme', plan: 'research' });
  });
  beforeEach(async () => {
    Object.assign(weather, { releases: 'fine', accounts: 'fine' });
    expect((await ask(BUNDLE)).status).toBe(307);
  });
  afterAll(() => gateway.stop());

  it('that holds the releases, what is known goes on being decided and redirected, and nothing waits long', async () => {
    weather.releases = outage;
    const [known, later, ready] = [await ask(BUNDLE), await ask(TOMORROW), await ask('/readyz')];
    expect([known.status, later.status, ready.status]).toEqual([307, 503, 200]);
    expect(later).toMatchObject({ code: 'store-unavailable', retry: '10' });
    expect(Math.max(known.seconds, ready.seconds)).toBeLessThan(1);
    expect(later.seconds).toBeLessThan(5);
    if (outage === 'down') expect(ready.code).toBe('degraded');
    weather.releases = 'fine';
  });

  it('that holds the accounts, known keys go on for ten minutes, also while it is asked again and again', async () => {
    weather.accounts = outage;
    for (const seconds of [15, 21, 29, 45, 60, 120, 300, 590]) {
      nowMs += 0;
      const at = nowMs;
      nowMs = at + seconds * 1000;
      const { status, seconds: took } = await ask(BUNDLE);
      nowMs = at;
      expect([seconds, status]).toEqual([seconds, 307]);
      expect(took).toBeLessThan(4);
    }
  }, 60_000);

  it('that holds the accounts, an unknown key gets 503 with Retry-After in a short time', async () => {
    const other = await gateway.createKey({ plan: 'research' });
    weather.accounts = outage;
    const refused = await ask(BUNDLE, other);
    expect(refused).toMatchObject({
      status: 503,
      code: 'store-unavailable',
      retry: expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(refused.seconds).toBeLessThan(4);
    weather.accounts = 'fine';
    expect((await ask(BUNDLE, other)).status).toBe(307);
  });

  it('nothing of the store is told', async () => {
    weather.accounts = outage;
    const response = await gateway.ask('/api/v1/entitlements', { headers: { 'X-API-Key': key } });
    expect(await response.text()).not.toContain('planted-bucket');
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
    expect((await gateway.ask(path, { headers: { 'X-API-Key': key } })).status).toBe(503);
  });

  it('the release is found as soon as somebody asks for a file of it', async () => {
    await publishSeries(store, { inputs: [series(3)], asOf: '2022-01-04' });
    expect((await gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } })).status).toBe(307);
    expect((await gateway.ask('/readyz')).status).toBe(200);
  });
});

it('an accounts store that is down when the gateway starts keeps it from nothing but keys', async () => {
  const s3 = await startRefusingS3();
  s3.refuse({ status: 503, code: 'SlowDown' });
  Object.assign(process.env, CREDENTIALS);
  const address = 's3://some-accounts?region=eu-central-1';
  const terms = { s3: { endpoint: s3.endpoint, pathStyle: true }, patienceMs: 100 };
  await expect(openAccountsStore(address, terms)).rejects.toMatchObject({ code: 'unavailable' });
  const accountsStore = await openAccountsStore(address, { ...terms, mayBeDown: true });
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [series(3)], asOf: '2022-01-04' });
  const gateway = await startGateway({ store, accountsStore });
  const ready = await (await gateway.ask('/readyz')).json();
  expect(ready).toMatchObject({ status: 'degraded', stores: { releases: 'ok', accounts: 'unreachable' } });
  expect((await gateway.ask('/api/v1/status')).status).toBe(200);
  await gateway.stop();
  await s3.dispose();
  for (const name of Object.keys(CREDENTIALS)) Reflect.deleteProperty(process.env, name);
});

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIAPLANTED', AWS_SECRET_ACCESS_KEY: 'planted' };
