import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { CHAIN_IDS, GENRES, WINDOWS } from '../../../schemas/catalog.js';
import { bundlePath, dayPath, manifestPath } from '../../../schemas/paths.js';
import type { Window } from '../../../schemas/types.generated.js';
import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';
import { createAccounts } from '../../../gateway/io/accounts/accounts.js';
import { createLogger } from '../../../gateway/io/operation/logger.js';
import { composeGateway, type Gateway } from '../../../gateway/service.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { CONFIGURATION } from '../../support/gateway/gateway-server.js';
import { sendRaw, type RawRequest } from '../../support/gateway/raw-http.js';
import { createRandom } from '../../support/random/seeded.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const REQUESTS = 800;
const SEED = 20260820;
const SLOW_MS = 300_000;
/** Number of concurrent requests. */
const AT_ONCE = 8;
const NOW_MS = Date.parse('2026-08-20T12:00:00Z');
/** The request id is random in production; here every request has the same, so that responses are comparable. */
const ID = '4866bfeb-9d61-4c15-96d2-a104e7466bbc';

const store = createMemoryStore();
const accountsStore = createMemoryStore();
const now = (): number => NOW_MS;
let gateways: readonly Gateway[];
let servers: readonly HttpServer[];
let keys: readonly string[];
let etag: string;

/** Starts a gateway of which `choose` returns a lane: the fast one for subscriber files, or Express. */
async function startLane(choose: (gateway: Gateway) => RequestListener): Promise<[Gateway, HttpServer]> {
  const gateway = await composeGateway(
    CONFIGURATION,
    { store, accountsStore },
    {
      logger: createLogger({
        destination: { write: () => undefined },
        level: 'silent',
        scrub: (text) => text,
      }),
      now,
      clock: () => 0,
      newId: () => ID,
      random: (size) => randomBytes(size),
      fetch,
    },
    () => 'https://data.example.com',
  );
  await gateway.start();
  return [gateway, await startHttpServer(choose(gateway), { host: '127.0.0.1', port: 0 })];
}

beforeAll(async () => {
  await publishSeries(store, {
    inputs: [randomSeries({ chain: 'base', seed: 7, days: 40 })],
    asOf: '2022-02-10',
  });
  const accounts = createAccounts(accountsStore, { now, random: (size) => randomBytes(size), mode: 'test' });
  const createKey = async (account: string): Promise<string> =>
    (await accounts.createKey(account, { label: null, needsGrant: false })).key;
  const grant = { until: '2999-01-01T00:00:00Z', reason: 'a test' } as const;
  await accounts.grant('research', { ...grant, plan: 'research', chain: null });
  await accounts.grant('single', { ...grant, plan: 'single-chain', chain: 'base' });
  keys = await Promise.all(['research', 'single', 'nothing'].map(createKey));
  const lanes = await Promise.all([startLane(({ listener }) => listener), startLane(({ app }) => app)]);
  gateways = lanes.map(([gateway]) => gateway);
  servers = lanes.map(([, server]) => server);
  const headers = [['X-API-Key', keys[0] ?? '']] as const;
  const redirect = await send(0, { target: bundlePath('gold', 'base', '7d'), headers });
  etag = `"sha256:${redirect.headers.get('x-content-sha256') ?? ''}"`;
  expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/);
}, SLOW_MS);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop(0)));
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});

const send = (lane: number, request: RawRequest): Promise<Response> =>
  sendRaw(servers[lane]?.url ?? '', request);

/** Makes up requests for subscriber files: valid ones, invalid ones, and everything between. */
function createGenerator(random: () => number): () => RawRequest {
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T =>
    values[Math.floor(random() * values.length)] as T; // within the list
  const chance = (share: number): boolean => random() < share;
  const [research = '', single = '', nothing = ''] = keys;

  const file = (): string => {
    const genre = pick(GENRES);
    const chain = chance(0.8) ? 'base' : pick(CHAIN_IDS);
    const day = `2022-${pick(['01', '02', '13'])}-${pick(['02', '07', '15', '30', '31'])}`;
    const window = pick(Object.keys(WINDOWS) as Window[]); // keys of a closed literal
    return pick([bundlePath(genre, chain, window), manifestPath(genre, chain), dayPath(genre, chain, day)]);
  };
  const spoil = (path: string): string =>
    pick([
      `${path}/`,
      `${path}#x`,
      `${path}%00`,
      path.replace('a', '%61'),
      path.replace('/gold', '/../gold'),
      path.toUpperCase(),
      path.replace('base', 'dogecoin'),
      path.slice(0, -1),
      '/api/v1/files/',
      '/api/v1/files/x',
      `//${path}`,
      `http://example.com${path}`,
    ]);
  const query = (): string =>
    pick([
      '?redirect=false',
      '?redirect=true',
      '?redirect=0',
      '?volumes=csv',
      '?redirect=false&redirect=false',
      '?revision=2022-02-10.000001',
      '?revision=2022-02-10.000009',
      '?revision=x',
      `?api_key=${research}`,
      '?',
      '?x=%zz',
    ]);
  const credentials = (): RawRequest['headers'] =>
    pick([
      [['X-API-Key', research]],
      [['X-API-Key', research]],
      [['x-api-key', single]],
      [['X-API-Key', nothing]],
      [],
      [['X-API-Key', '']],
      [['X-API-Key', `${research.slice(0, -1)}0`]],
      [['X-API-Key', `crd_test_Abcdefgh_${'A'.repeat(32)}`]],
      [['X-API-Key', research], ['X-API-Key', research]],
      [['Authorization', 'Bearer x']],
      [['Authorization', `Bearer ${research}`]],
      [['Authorization', `Bearer ${research}`], ['X-API-Key', research]],
      [['Authorization', `Bearer ${research}`], ['X-API-Key', single]],
      [['Authorization', `Bearer ${research}`], ['Authorization', `Bearer ${research}`]],
      [['X-API-Key', research], ['Authorization', 'Bearer x']],
    ]); // prettier-ignore
  const conditions = (): RawRequest['headers'] =>
    pick([
      [['If-None-Match', etag]],
      [['If-None-Match', `W/${etag}`]],
      [['If-None-Match', `"x", ${etag}`]],
      [['If-None-Match', '*']],
      [['If-None-Match', '"x"']],
      [['If-None-Match', etag], ['Cache-Control', 'no-cache']],
      [['If-Modified-Since', 'Thu, 20 Aug 2026 12:00:00 GMT']],
      [['Range', 'bytes=0-9']],
    ]); // prettier-ignore
  const others = (): RawRequest['headers'] =>
    pick([
      [['Origin', 'https://app.example.com']],
      [['Origin', 'https://stranger.example.com']],
      [['Origin', 'null'], ['Access-Control-Request-Method', 'GET']],
      [['Accept', 'application/json; profile="signed-url"']],
      [['Accept', 'application/json; profile=signed-url; q=0']],
      [['Accept', 'text/html']],
      [['X-HTTP-Method-Override', 'DELETE']],
      [['X-Forwarded-For', '203.0.113.7']],
      [['Expect', 'a miracle']],
      [['Cookie', 'a=b']],
      [['X-Long', 'x'.repeat(20_000)]],
      [['X-Odd', 'é\u0001']],
    ]); // prettier-ignore

  return () => ({
    method: chance(0.7)
      ? 'GET'
      : pick(['HEAD', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PROPFIND', 'get', 'CONNECT']),
    target: (chance(0.85) ? file() : spoil(file())) + (chance(0.3) ? query() : ''),
    headers: [
      ...(credentials() ?? []),
      ...(chance(0.4) ? (conditions() ?? []) : []),
      ...(chance(0.4) ? (others() ?? []) : []),
    ],
    ...(chance(0.03) ? { host: null } : {}),
    ...(chance(0.05) ? { version: 'HTTP/1.0' } : {}),
    ...(chance(0.05) ? { body: '{"a":1}' } : {}),
  });
}

async function describeAnswer(lane: number, request: RawRequest): Promise<object> {
  const response = await send(lane, request);
  const headers = Object.fromEntries(response.headers);
  delete headers['date'];
  // Counts of the limits depend on how far the other requests of this moment are.
  for (const name of ['ratelimit', 'retry-after']) {
    if (headers[name] !== undefined) headers[name] = headers[name].replace(/r=\d+/, 'r=n');
  }
  return { status: response.status, headers, body: await response.text() };
}

it(
  'answers requests for subscriber files in the fast lane as in Express',
  async () => {
    const generate = createGenerator(createRandom(SEED));
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, generate);
      await Promise.all(
        batch.map(async (request) => {
          const [fast, express] = await Promise.all([describeAnswer(0, request), describeAnswer(1, request)]);
          expect({ request, ...fast }).toEqual({ request, ...express });
          const { status } = fast as { status: number };
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
      );
    }
    const reached = [...statuses.keys()].sort((a, b) => a - b);
    expect(reached).toEqual([200, 204, 304, 307, 400, 401, 403, 404, 405]);
  },
  SLOW_MS,
);
