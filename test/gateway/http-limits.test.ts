import { createMemoryStore } from '../../infra/store/memory-store.js';
import { bundlePath, dayPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { readProblem } from '../fixtures/http-answers.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const OF_A_KEY = 4;
const OF_AN_ADDRESS = 3;
const HERE = '198.51.100.7';
const store = createMemoryStore();
const clock = { ms: Date.parse('2026-08-20T12:00:00Z') };
/** One that takes the word of the proxy before it, and one that has none. */
let proxied: GatewayServer;
let direct: GatewayServer;

beforeAll(async () => {
  const inputs = [randomSeries({ chain: 'base', seed: 7, days: 3 })];
  await publishSeries(store, { inputs, asOf: '2022-01-04' });
  const limits = { keyPerMinute: OF_A_KEY, addressPerMinute: OF_AN_ADDRESS };
  proxied = await startGateway({ store, now: () => clock.ms, configuration: { limits, trustProxy: 1 } });
  direct = await startGateway({ store, now: () => clock.ms, configuration: { limits } });
});
afterAll(async () => {
  await proxied.stop();
  await direct.stop();
});
/** Every test begins with a minute of its own. */
beforeEach(() => (clock.ms += 61_000));

const askFile = (key: string, from = HERE, gateway = proxied): Promise<Response> =>
  gateway.ask(BUNDLE, { headers: { 'X-API-Key': key, 'X-Forwarded-For': from } });

const askPublic = (from = HERE, gateway = proxied): Promise<Response> =>
  gateway.ask(PUBLIC_PATHS.status, { headers: { 'X-Forwarded-For': from } });

/** The statuses of so many requests, one after the other. */
async function statusesOf(times: number, ask: (i: number) => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await ask(i)).status);
  return statuses;
}

const limitOf = ({ headers }: Response): readonly (string | null)[] => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
];

describe('a key', () => {
  it('is told what is left, is refused beyond its minute, and goes on in the next', async () => {
    const key = await proxied.createKey({ plan: 'research' });
    expect(limitOf(await askFile(key))).toEqual(['"key";r=3;t=60', '"key";q=4;w=60']);
    clock.ms += 20_000;
    expect(limitOf(await askFile(key))).toEqual(['"key";r=2;t=40', '"key";q=4;w=60']);
    expect(await statusesOf(3, () => askFile(key))).toEqual([307, 307, 429]);
    const refused = await askFile(key);
    expect([...limitOf(refused), refused.headers.get('retry-after')]).toEqual([
      '"key";r=0;t=40',
      '"key";q=4;w=60',
      '40',
    ]);
    expect((await readProblem(refused)).detail).toBe(
      'this key or session may make 4 requests a minute; wait 40 s',
    );
    clock.ms += 40_000;
    expect((await askFile(key)).status).toBe(307);
  });

  it('counts whatever becomes of its requests, and wherever they come from', async () => {
    const key = await proxied.createKey({ plan: 'research' });
    const absent = [dayPath('gold', 'base', '2031-01-01'), bundlePath('gold', 'bitcoin', '7d')];
    const paths = [BUNDLE, `${BUNDLE}?redirect=false`, ...absent];
    const answers = [];
    for (const [i, path] of [...paths, BUNDLE].entries()) {
      const headers = { 'X-API-Key': key, 'X-Forwarded-For': `198.51.100.${i}` };
      answers.push((await proxied.ask(path, { headers })).status);
    }
    expect(answers).toEqual([307, 200, 404, 404, 429]);
  });

  it('that is known is not held by the limit of its address, nor does it use it up', async () => {
    const [key, other] = [
      await proxied.createKey({ plan: 'research' }),
      await proxied.createKey({ plan: 'research' }),
    ];
    expect(await statusesOf(2, () => askFile(key))).toEqual([307, 307]);
    expect((await askFile(other)).status).toBe(307); // a new one gives back what it took
    expect(await statusesOf(OF_AN_ADDRESS + 1, () => askPublic())).toEqual([200, 200, 200, 429]);
    expect(await statusesOf(2, () => askFile(key))).toEqual([307, 307]);
    expect((await askFile(other)).status).toBe(307);
  });
});

describe('an address', () => {
  it('is told what is left, and is refused beyond its minute', async () => {
    const answers = [];
    for (let i = 0; i <= OF_AN_ADDRESS; i += 1) answers.push(await askPublic());
    expect(answers.map(limitOf)).toEqual([
      ['"address";r=2;t=60', '"address";q=3;w=60'],
      ['"address";r=1;t=60', '"address";q=3;w=60'],
      ['"address";r=0;t=60', '"address";q=3;w=60'],
      ['"address";r=0;t=60', '"address";q=3;w=60'],
    ]);
    const [refused] = answers.slice(-1);
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await askPublic('198.51.100.8')).status).toBe(200);
  });

  it('that guesses keys is refused before they are looked at, the right one too until the next minute', async () => {
    const guess = (i: number): Promise<Response> =>
      askFile(`crd_test_abcdefgh_${String(i).padStart(32, 'A')}`);
    expect(await statusesOf(OF_AN_ADDRESS + 2, guess)).toEqual([401, 401, 401, 429, 429]);
    const key = await proxied.createKey({ plan: 'research' });
    expect((await askFile(key)).status).toBe(429);
    expect((await askFile(key, '198.51.100.8')).status).toBe(307);
    clock.ms += 60_000;
    expect((await askFile(key)).status).toBe(307);
  });

  it('is counted for calls without a key and with a session that is none, too', async () => {
    const headers = { 'X-Forwarded-For': HERE };
    const answers = [
      await proxied.ask(BUNDLE, { headers }),
      await proxied.ask(BUNDLE, { headers: { ...headers, 'X-API-Key': '' } }),
      await askPublic(),
      await proxied.ask(BUNDLE, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 429]);
  });

  it('of IPv6 is counted with all of its /64', async () => {
    const near = (i: number): Promise<Response> => askPublic(`2001:db8:1:2:${i}::${i}`);
    expect(await statusesOf(OF_AN_ADDRESS + 1, near)).toEqual([200, 200, 200, 429]);
    expect((await askPublic('2001:db8:1:3::1')).status).toBe(200);
  });

  it('is the one that the proxy saw, whatever the caller wrote before it', async () => {
    const pretend = (i: number): Promise<Response> => askPublic(`203.0.113.${i}, ${HERE}`);
    expect(await statusesOf(OF_AN_ADDRESS + 1, pretend)).toEqual([200, 200, 200, 429]);
  });

  it('is the one of the connection where no proxy is believed, whatever the caller wrote', async () => {
    const pretend = (i: number): Promise<Response> => askPublic(`203.0.113.${i}`, direct);
    expect(await statusesOf(OF_AN_ADDRESS + 1, pretend)).toEqual([200, 200, 200, 429]);
  });
});

it('never keeps a monitor from asking whether the gateway lives', async () => {
  await statusesOf(OF_AN_ADDRESS + 1, () => askPublic());
  const headers = { 'X-Forwarded-For': HERE };
  const ask = (path: string) => (): Promise<Response> => proxied.ask(path, { headers });
  expect(await statusesOf(5, ask('/healthz'))).toEqual([200, 200, 200, 200, 200]);
  expect(await statusesOf(5, ask('/readyz'))).toEqual([200, 200, 200, 200, 200]);
});
