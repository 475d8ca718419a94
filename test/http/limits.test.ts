import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '../../gateway/core/access/api-key.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { bundlePath, dayPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblem } from '../support/gateway/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { interceptStore } from '../support/stores/intercept-store.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const KEY_LIMIT = 4;
const ADDRESS_LIMIT = 3;
const HERE = '198.51.100.7';
const SLOW_READ_MS = 5;
let store: ObjectStore;
const clock = { ms: Date.parse('2026-08-20T12:00:00Z') };
/** One gateway trusts one proxy, the other none. */
let proxied: GatewayServer;
let direct: GatewayServer;
let provider: IdentityProvider;

beforeAll(async () => {
  store = await openSmallRelease();
  provider = await startIdentityProvider(() => clock.ms);
  const { jwksUrl: url, issuer, audience } = provider;
  const limits = { keyPerMinute: KEY_LIMIT, addressPerMinute: ADDRESS_LIMIT };
  const sessions = { jwks: { kind: 'url', url }, issuer, audience } as const;
  const configuration = { limits, sessions, trustProxy: 1 };
  proxied = await startGateway({ store, now: () => clock.ms, configuration });
  direct = await startGateway({ store, now: () => clock.ms, configuration: { limits } });
});
afterAll(async () => {
  await proxied.stop();
  await direct.stop();
  await provider.dispose();
});
/** Starts a new window for every test. */
beforeEach(() => (clock.ms += 61_000));

const requestFile = (key: string, from = HERE, gateway = proxied): Promise<Response> =>
  gateway.request(BUNDLE, { headers: { 'X-API-Key': key, 'X-Forwarded-For': from } });

const requestPublic = (from = HERE, gateway = proxied): Promise<Response> =>
  gateway.request(PUBLIC_PATHS.status, { headers: { 'X-Forwarded-For': from } });

/** Sends requests one after another and returns their statuses. */
async function statusesOf(times: number, send: (i: number) => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await send(i)).status);
  return statuses;
}

const limitOf = ({ headers }: Response): readonly (string | null)[] => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
];

describe('a key', () => {
  it('sees the remaining requests, is limited, and is accepted again in the next window', async () => {
    const key = await proxied.createKey({ plan: 'research' });
    expect(limitOf(await requestFile(key))).toEqual(['"key";r=3;t=60', '"key";q=4;w=60']);
    clock.ms += 20_000;
    expect(limitOf(await requestFile(key))).toEqual(['"key";r=2;t=40', '"key";q=4;w=60']);
    expect(await statusesOf(3, () => requestFile(key))).toEqual([307, 307, 429]);
    const refused = await requestFile(key);
    expect([...limitOf(refused), refused.headers.get('retry-after')]).toEqual([
      '"key";r=0;t=40',
      '"key";q=4;w=60',
      '40',
    ]);
    expect((await readProblem(refused)).detail).toBe(
      'The limit is 4 requests per minute for each key or session. Wait 40 s.',
    );
    clock.ms += 40_000;
    expect((await requestFile(key)).status).toBe(307);
  });

  it('counts all its requests, regardless of status and address', async () => {
    const key = await proxied.createKey({ plan: 'research' });
    const absent = [dayPath('gold', 'base', '2031-01-01'), bundlePath('gold', 'bitcoin', '7d')];
    const paths = [BUNDLE, `${BUNDLE}?redirect=false`, ...absent];
    const answers = [];
    for (const [i, path] of [...paths, BUNDLE].entries()) {
      const headers = { 'X-API-Key': key, 'X-Forwarded-For': `198.51.100.${i}` };
      answers.push((await proxied.request(path, { headers })).status);
    }
    expect(answers).toEqual([307, 200, 404, 404, 429]);
  });

  it('that is cached neither uses the limit of its address nor is limited by it', async () => {
    const [key, other] = [
      await proxied.createKey({ plan: 'research' }),
      await proxied.createKey({ plan: 'research' }),
    ];
    expect(await statusesOf(2, () => requestFile(key))).toEqual([307, 307]);
    expect((await requestFile(other)).status).toBe(307); // a key that is not cached counts for the address until it proves valid
    expect(await statusesOf(ADDRESS_LIMIT + 1, () => requestPublic())).toEqual([200, 200, 200, 429]);
    expect(await statusesOf(2, () => requestFile(key))).toEqual([307, 307]);
    expect((await requestFile(other)).status).toBe(307);
  });
});

describe('an account', () => {
  it('is limited to the requests of five keys, however many keys it makes and revokes', async () => {
    const account = 'looping';
    for (let made = 0; made < 5; made += 1) {
      const key = await proxied.createKey({ account, plan: 'research' });
      expect(await statusesOf(KEY_LIMIT + 1, () => requestFile(key))).toEqual([307, 307, 307, 307, 429]);
      await proxied.accounts.revokeKey(account, key.slice(9, 17));
    }
    const fresh = await proxied.createKey({ account });
    const refused = await requestFile(fresh);
    expect([refused.status, ...limitOf(refused), refused.headers.get('retry-after')]).toEqual([
      429,
      '"key";r=0;t=60',
      '"key";q=20;w=60',
      '60',
    ]);
    expect((await readProblem(refused)).detail).toBe(
      'The limit is 20 requests per minute for all keys of an account and its downloads on the account page together. Wait 60 s.',
    );
    expect((await requestFile(await proxied.createKey({ plan: 'research' }))).status).toBe(307);
    clock.ms += 60_000;
    expect((await requestFile(fresh)).status).toBe(307);
  });

  it('has five keys with their full limits', async () => {
    const account = 'busy';
    const keys = [await proxied.createKey({ account, plan: 'research' })];
    while (keys.length < 5) keys.push(await proxied.createKey({ account }));
    for (const key of keys) {
      expect(await statusesOf(KEY_LIMIT, () => requestFile(key))).toEqual([307, 307, 307, 307]);
    }
  });

  it('has one limit for the files that its keys and its session ask for, and its session can still revoke a key', async () => {
    const account = 'both';
    const keys = [await proxied.createKey({ account, plan: 'research' })];
    while (keys.length < 5) keys.push(await proxied.createKey({ account }));
    const headers = { Authorization: `Bearer ${await provider.sign({ account })}` };
    const send = (path: string): Promise<Response> => proxied.request(path, { headers });
    expect((await send(`${BUNDLE}?redirect=false`)).status).toBe(200);
    const [first = '', ...others] = keys;
    for (const key of others) expect(await statusesOf(KEY_LIMIT, () => requestFile(key))).not.toContain(429);
    expect(await statusesOf(KEY_LIMIT, () => requestFile(first))).toEqual([307, 307, 307, 429]);
    expect((await send(`${BUNDLE}?redirect=false`)).status).toBe(429);
    expect((await send('/api/v1/keys')).status).toBe(200);
  });
});

describe('an address', () => {
  it('sees the remaining requests and is limited', async () => {
    const answers = [];
    const headers = { 'X-Forwarded-For': HERE };
    for (let i = 0; i <= ADDRESS_LIMIT; i += 1) answers.push(await proxied.request(BUNDLE, { headers }));
    expect(answers.map(limitOf)).toEqual([
      ['"address";r=2;t=60', '"address";q=3;w=60'],
      ['"address";r=1;t=60', '"address";q=3;w=60'],
      ['"address";r=0;t=60', '"address";q=3;w=60'],
      ['"address";r=0;t=60', '"address";q=3;w=60'],
    ]);
    const [refused] = answers.slice(-1);
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await requestPublic()).status).toBe(429);
    expect((await requestPublic('198.51.100.8')).status).toBe(200);
  });

  it('is not described in a public response, which a cache sends to other callers', async () => {
    const [whole, etag] = [await requestPublic(), (await requestPublic()).headers.get('etag') ?? ''];
    const headers = { 'X-Forwarded-For': HERE, 'If-None-Match': etag };
    const known = await proxied.request(PUBLIC_PATHS.status, { headers });
    expect([whole, known].map(({ status }) => status)).toEqual([200, 304]);
    for (const answer of [whole, known]) {
      expect(answer.headers.get('cache-control')).toMatch(/^public/);
      expect(limitOf(answer)).toEqual([null, null]);
    }
    const refused = await requestPublic();
    expect([refused.status, refused.headers.get('cache-control'), ...limitOf(refused)]).toEqual([
      429,
      'no-store',
      '"address";r=0;t=60',
      '"address";q=3;w=60',
    ]);
  });

  it('that guesses keys is limited until the next window, and a valid key at the address is accepted', async () => {
    const guess = (i: number): Promise<Response> =>
      requestFile(`crd_test_abcdefgh_${String(i).padStart(32, 'A')}`);
    expect(await statusesOf(ADDRESS_LIMIT + 2, guess)).toEqual([401, 401, 401, 429, 429]);
    const refused = await guess(9);
    expect(limitOf(refused)).toEqual(['"credentials";r=0;t=60', '"credentials";q=3;w=60']);
    expect((await readProblem(refused)).detail).toBe(
      'The limit is 3 requests per minute for failed credentials of each address. Wait 60 s.',
    );
    const key = await proxied.createKey({ plan: 'research' }); // the gateway has never seen it
    expect(limitOf(await requestFile(key))).toEqual(['"key";r=3;t=60', '"key";q=4;w=60']);
    clock.ms += 60_000;
    expect(await statusesOf(1, guess)).toEqual([401]);
  });

  it('that guesses beyond the limit has one unknown key looked up at a time', async () => {
    let [running, mostRunning] = [0, 0];
    const accountsStore = interceptStore(createMemoryStore(), async ({ key }, run) => {
      if (!key.startsWith('keys/')) return run();
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await sleep(SLOW_READ_MS);
      running -= 1;
      return run();
    });
    const limits = { keyPerMinute: KEY_LIMIT, addressPerMinute: ADDRESS_LIMIT };
    const gateway = await startGateway({ store, accountsStore, configuration: { limits } });
    const guess = (): Promise<Response> => requestFile(createApiKey('test', randomBytes).text, HERE, gateway);
    await statusesOf(ADDRESS_LIMIT, guess);
    mostRunning = 0;
    const guesses = await Promise.all(Array.from({ length: 20 }, guess));
    expect([new Set(guesses.map(({ status }) => status)), mostRunning]).toEqual([new Set([429]), 1]);
    await gateway.stop();
  });

  it('that read more public files than allowed does not lock out a valid key or session', async () => {
    const key = await proxied.createKey({ plan: 'research' });
    expect(await statusesOf(125, () => requestPublic())).toContain(429); // far beyond the limit
    expect((await requestFile(key)).status).toBe(307);
    const headers = { Authorization: `Bearer ${await provider.sign({ account: 'acme' })}` };
    const send = (): Promise<Response> =>
      proxied.request('/api/v1/entitlements', { headers: { ...headers, 'X-Forwarded-For': HERE } });
    expect((await send()).status).toBe(200);
    const guess = { Authorization: 'Bearer eyJh.eyJh.eyJh', 'X-Forwarded-For': HERE };
    const forge = (): Promise<Response> => proxied.request('/api/v1/entitlements', { headers: guess });
    expect(await statusesOf(ADDRESS_LIMIT + 1, forge)).toEqual([401, 401, 401, 429]);
    expect((await send()).status).toBe(200);
  });

  it('is counted for requests without a key, with an empty key and for public files', async () => {
    const headers = { 'X-Forwarded-For': HERE };
    const answers = [
      await proxied.request(BUNDLE, { headers }),
      await proxied.request(BUNDLE, { headers: { ...headers, 'X-API-Key': '' } }),
      await requestPublic(),
      await proxied.request(BUNDLE, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 429]);
  });

  it('of IPv6 is counted with its whole /64', async () => {
    const near = (i: number): Promise<Response> => requestPublic(`2001:db8:1:2:${i}::${i}`);
    expect(await statusesOf(ADDRESS_LIMIT + 1, near)).toEqual([200, 200, 200, 429]);
    expect((await requestPublic('2001:db8:1:3::1')).status).toBe(200);
  });

  it('is the one that the trusted proxy saw, regardless of what the client sent', async () => {
    const pretend = (i: number): Promise<Response> => requestPublic(`203.0.113.${i}, ${HERE}`);
    expect(await statusesOf(ADDRESS_LIMIT + 1, pretend)).toEqual([200, 200, 200, 429]);
  });

  it('is the one of the connection when no proxy is trusted, regardless of what the client sent', async () => {
    const pretend = (i: number): Promise<Response> => requestPublic(`203.0.113.${i}`, direct);
    expect(await statusesOf(ADDRESS_LIMIT + 1, pretend)).toEqual([200, 200, 200, 429]);
  });
});

it('X-Forwarded-For is reported once if no proxy is trusted, without the address', async () => {
  await requestPublic('203.0.113.99', direct);
  await requestFile('nonsense', '203.0.113.99', direct);
  const lines = (gateway: GatewayServer): string[] =>
    gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('CRD_TRUST_PROXY'));
  expect(lines(direct)).toEqual([expect.stringMatching(/"level":"warn".*X-Forwarded-For was received/)]);
  expect(direct.log()).not.toContain('203.0.113.99');
  await requestPublic();
  expect(lines(proxied)).toEqual([]);
});

it('the address limit does not apply to health checks', async () => {
  await statusesOf(ADDRESS_LIMIT + 1, () => requestPublic());
  const headers = { 'X-Forwarded-For': HERE };
  const send = (path: string) => (): Promise<Response> => proxied.request(path, { headers });
  expect(await statusesOf(5, send('/healthz'))).toEqual([200, 200, 200, 200, 200]);
  expect(await statusesOf(5, send('/readyz'))).toEqual([200, 200, 200, 200, 200]);
});
