import { createMemoryStore } from '../support/stores/memory-store.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblemCode } from '../support/gateway/http-answers.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';

const DAYS = 130;
const BASE_LIMITS = { late_after: '2022-05-13T00:00:00Z', stale_after: '2022-05-15T00:00:00Z' };

let nowMs: number;
const gateways: GatewayServer[] = [];
let gateway: GatewayServer;
beforeAll(async () => {
  const store = createMemoryStore();
  const inputs = [
    randomSeries({ chain: 'bitcoin', seed: 7, days: 3 }),
    randomSeries({ chain: 'base', seed: 7, days: DAYS }),
  ];
  await publishSeries(store, { inputs: inputs.slice(1), asOf: '2022-05-12' });
  gateway = await start(store);
  const other = createMemoryStore();
  await publishSeries(other, { inputs, asOf: '2022-05-12' });
  await start(other);
  await start(createMemoryStore());
});
afterAll(() => Promise.all(gateways.map((each) => each.stop())));

async function start(store: ReturnType<typeof createMemoryStore>): Promise<GatewayServer> {
  const started = await startGateway({ store, now: () => nowMs });
  gateways.push(started);
  return started;
}

async function ask(
  at: string,
  { operatorUrl }: GatewayServer = gateway,
): Promise<{ readonly status: number; readonly body: unknown }> {
  nowMs = Date.parse(at);
  const response = await fetch(`${operatorUrl}/health/freshness`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { status: response.status, body: await response.json() };
}

describe('the freshness of a release', () => {
  it.each([
    ['2022-05-12T23:59:59Z', 200, 'current', 'fresh', []],
    ['2022-05-13T00:00:00Z', 200, 'current', 'late', []],
    ['2022-05-15T00:00:00Z', 503, 'stale', 'stale', ['base']],
  ])('is judged by the clock of the gateway: at %s it answers %i', async (at, status, word, chain, stale) => {
    const chains = { base: { freshness: chain, ...BASE_LIMITS } };
    expect(await ask(at)).toEqual({
      status,
      body: { status: word, at, revision: '2022-05-12.000001', stale, chains },
    });
  });

  it('is stale while a chain has no available date', async () => {
    const { status, body } = await ask('2022-05-12T06:00:00Z', gateways[1]);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: 'stale',
      stale: ['bitcoin'],
      chains: { bitcoin: { late_after: null }, base: { freshness: 'fresh' } },
    });
  });

  it('is unknown before the first release', async () => {
    expect(await ask('2022-05-12T06:00:00Z', gateways[2])).toMatchObject({
      status: 503,
      body: { status: 'not-ready', revision: null, chains: {} },
    });
  });

  it('does not change readiness, and is not on the public port', async () => {
    expect((await ask('2030-01-01T00:00:00Z')).status).toBe(503);
    for (const url of [gateway.url, gateway.operatorUrl]) {
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
    }
    expect(await readProblemCode(await gateway.request('/health/freshness'))).toBe('not-found');
  });
});
