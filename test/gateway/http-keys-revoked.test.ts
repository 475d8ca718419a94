import { createMemoryStore } from '../../infra/store/memory-store.js';
import { bundlePath } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { readDocument, readProblem, readProblemCode, type AnyDocument } from '../fixtures/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { askRaw } from '../fixtures/raw-http.js';

const KEYS = '/api/v1/keys';
const BUNDLE = bundlePath('gold', 'base', '7d');
const NOW = Date.parse('2026-08-20T12:00:00Z');
const CACHE_MS = 30_000;
const store = createMemoryStore();
let nowMs = NOW;
let provider: IdentityProvider;
let gateway: GatewayServer;
let token: string;
let theirs: string;

beforeAll(async () => {
  const inputs = [randomSeries({ chain: 'base', seed: 7, days: 3 })];
  await publishSeries(store, { inputs, asOf: '2022-01-04' });
  provider = await startIdentityProvider(() => nowMs);
  const { jwksUrl: url, issuer, audience } = provider;
  const sessions = { jwks: { kind: 'url', url }, issuer, audience } as const;
  gateway = await startGateway({ store, now: () => nowMs, configuration: { sessions } });
  token = await provider.sign({ account: 'mine' });
  theirs = await gateway.createKey({ account: 'theirs', plan: 'research' });
});
beforeEach(async () => {
  nowMs = NOW;
  for (const id of Object.keys((await gateway.accounts.readAccount('mine'))?.keys ?? {})) {
    await gateway.accounts.revokeKey('mine', id);
  }
});
afterAll(async () => {
  await gateway.stop();
  await provider.dispose();
});

const createKey = (): Promise<string> => gateway.createKey({ account: 'mine', plan: 'research' });
const idOf = (key: string): string => key.slice(9, 17);

type Credentials = { readonly key?: string; readonly session?: boolean };

/** Asks for a revocation, with the session where nothing else is said. */
function revoke(
  { query = '', body }: { readonly query?: string; readonly body?: unknown },
  { key, session = key === undefined }: Credentials = {},
): Promise<Response> {
  return gateway.ask(KEYS + query, {
    method: 'DELETE',
    headers: {
      ...(session ? { Authorization: `Bearer ${token}` } : {}),
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const useKey = (key: string): Promise<Response> => gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } });

describe('DELETE with the session', () => {
  it.each([
    ['the body', (id: string) => ({ body: { id } })],
    ['the query', (id: string) => ({ query: `?id=${id}` })],
  ])('revokes the key that %s names, once and for all', async (_name, make) => {
    const [key, other] = [await createKey(), await createKey()];
    expect((await useKey(key)).status).toBe(307);
    const asked = make(idOf(key));
    const expected = { id: idOf(key), revoked_at: '2026-08-20T12:00:00Z' };
    const response = await revoke(asked);
    expect([response.status, await readDocument(response)]).toEqual([200, expected]);
    nowMs += CACHE_MS;
    expect(await readDocument(await revoke(asked))).toEqual(expected);
    expect(await readProblemCode(await useKey(key))).toBe('api-key-invalid');
    expect((await useKey(other)).status).toBe(307);
  });

  it.each<[string, { query?: string; body?: unknown }]>([
    ['no id', {}],
    ['an empty body', { body: {} }],
    ['an id in both', { query: '?id=AAAAAAAA', body: { id: 'AAAAAAAA' } }],
    ['an id twice', { query: '?id=AAAAAAAA&id=AAAAAAAA' }],
    ['another parameter', { query: '?key=AAAAAAAA' }],
    ['another member', { body: { id: 'AAAAAAAA', account: 'theirs' } }],
    ['a number', { body: { id: 7 } }],
    ['null', { body: { id: null } }],
    ['a list', { body: ['AAAAAAAA'] }],
  ])('is malformed with %s', async (_name, asked) => {
    expect(await readProblemCode(await revoke(asked))).toBe('request-malformed');
  });

  it("says one thing of another account's key, of one that never was, and of what is no id", async () => {
    const ids = [idOf(theirs), 'AAAAAAAA', 'toString', '', '../mine', 'x'.repeat(1_000), theirs];
    const said = await Promise.all(
      ids.map(async (id) => {
        const { instance: _id, ...rest } = await readProblem(await revoke({ body: { id } }));
        return JSON.stringify(rest);
      }),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toContain('"code":"not-found"');
    expect((await useKey(theirs)).status).toBe(307);
  });
});

describe('DELETE with a key', () => {
  it('revokes that key, which is refused when the caches have ended', async () => {
    const key = await createKey();
    const response = await revoke({}, { key });
    expect([response.status, await readDocument(response)]).toEqual([
      200,
      { id: idOf(key), revoked_at: '2026-08-20T12:00:00Z' },
    ]);
    nowMs += CACHE_MS;
    expect(await readProblemCode(await useKey(key))).toBe('api-key-invalid');
    expect(await readProblemCode(await revoke({}, { key }))).toBe('api-key-invalid');
  });

  it('needs no subscription, and may name itself but no other', async () => {
    const [key, other] = [await gateway.createKey({ account: 'mine' }), await createKey()];
    expect(await readProblemCode(await revoke({ body: { id: idOf(other) } }, { key }))).toBe('not-found');
    expect(await readProblemCode(await revoke({ query: `?id=${idOf(theirs)}` }, { key }))).toBe('not-found');
    expect((await useKey(other)).status).toBe(307);
    expect((await revoke({ query: `?id=${idOf(key)}` }, { key })).status).toBe(200);
  });

  it('gives a key no other right over keys', async () => {
    const init = { headers: { 'X-API-Key': await createKey() } };
    for (const method of ['GET', 'POST']) {
      expect(await readProblemCode(await gateway.ask(KEYS, { ...init, method }))).toBe('session-invalid');
    }
  });
});

describe('credentials', () => {
  it('are one, or the request is malformed', async () => {
    const key = await createKey();
    expect(await readProblemCode(await revoke({}, { key, session: true }))).toBe('request-malformed');
    const headers = { 'X-API-Key': key, Authorization: `Bearer ${token}` };
    for (const path of [KEYS, '/api/v1/entitlements', BUNDLE]) {
      expect(await readProblemCode(await gateway.ask(path, { headers }))).toBe('request-malformed');
    }
    expect((await useKey(key)).status).toBe(307);
  });

  it('are not taken from one of two headers', async () => {
    const other = await provider.sign({ account: 'theirs' });
    const headers = [token, other].map((each) => ['Authorization', `Bearer ${each}`] as const);
    for (const target of [KEYS, '/api/v1/entitlements']) {
      const response = await askRaw(gateway.url, { target, headers });
      expect(await readProblemCode(response)).toBe('request-malformed');
    }
    const keys = [theirs, theirs].map((each) => ['X-API-Key', each] as const);
    for (const target of [BUNDLE, '/api/v1/entitlements']) {
      const response = await askRaw(gateway.url, { target, headers: keys });
      expect(await readProblemCode(response)).toBe('api-key-invalid');
    }
  });

  it.each(['', 'Bearer', 'Bearer x', 'Basic eDp5', 'bearer eyJh.eyJh', `Bearer ${'x'.repeat(9_000)}`])(
    'that are none of a session are refused: %.20j',
    async (authorization) => {
      const response = await gateway.ask(KEYS, { headers: { Authorization: authorization } });
      expect(await readProblemCode(response)).toBe('session-invalid');
    },
  );
});

describe('entitlements', () => {
  const entitlementsOf = async (headers: Record<string, string>): Promise<AnyDocument> => {
    const response = await gateway.ask('/api/v1/entitlements', { headers });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    return readDocument(response);
  };
  const until = '2026-09-20T00:00:00Z';
  const grant = (account: string, plan: 'research' | 'single-chain', chain: 'base' | 'bitcoin' | null) =>
    gateway.accounts.grant(account, { plan, chain, until, reason: 'a test' });

  it.each([
    ['nothing', [], { active: false, plan: null, chains: [], windows: [], archive: false, briefs: null }],
    [
      'one chain',
      [['single-chain', 'base']],
      {
        active: true,
        plan: 'single-chain',
        chains: ['base'],
        windows: ['latest', '7d', '30d', '90d'],
        archive: false,
        briefs: 'latest',
        until,
      },
    ],
    [
      'two chains',
      [
        ['single-chain', 'base'],
        ['single-chain', 'bitcoin'],
      ],
      { active: true, plan: 'single-chain', chains: ['bitcoin', 'base'], archive: false },
    ],
    [
      'everything',
      [
        ['single-chain', 'base'],
        ['research', null],
      ],
      {
        active: true,
        plan: 'research',
        chains: ['bitcoin', 'ethereum', 'arbitrum', 'base'],
        windows: ['latest', '7d', '30d', '90d', '365d'],
        archive: true,
        briefs: 'all',
      },
    ],
  ] as const)('are the same by key and by session: %s', async (name, grants, expected) => {
    for (const [plan, chain] of grants) await grant(name, plan, chain);
    const key = await gateway.createKey({ account: name });
    const session = await provider.sign({ account: name });
    const byKey = await entitlementsOf({ 'X-API-Key': key });
    expect(byKey).toMatchObject({ schema: 'entitlements/1', ...expected });
    expect(byKey.grants).toHaveLength(grants.length);
    expect(await entitlementsOf({ Authorization: `Bearer ${session}` })).toEqual(byKey);
  });

  it('are known of an account that nobody knows, end with the grant, and begin at once', async () => {
    const session = { Authorization: `Bearer ${await provider.sign({ account: 'a stranger' })}` };
    expect(await entitlementsOf(session)).toMatchObject({ active: false, grants: [] });
    const key = await gateway.createKey({ account: 'a stranger' });
    await grant('a stranger', 'research', null);
    expect(await entitlementsOf({ 'X-API-Key': key })).toMatchObject({ active: true });
    nowMs = Date.parse(until);
    expect(await entitlementsOf({ 'X-API-Key': key })).toMatchObject({ active: false, grants: [] });
  });

  it('need a credential, and take no parameters', async () => {
    expect(await readProblemCode(await gateway.ask('/api/v1/entitlements'))).toBe('api-key-missing');
    const headers = { 'X-API-Key': theirs };
    const response = await gateway.ask('/api/v1/entitlements?account=mine', { headers });
    expect(await readProblemCode(response)).toBe('request-malformed');
  });
});

it('without an identity provider there are no sessions, and keys go on', async () => {
  const alone = await startGateway({ store });
  const key = await alone.createKey({ plan: 'research' });
  const codeOf = async (path: string, method: string): Promise<string> =>
    readProblemCode(await alone.ask(path, { method, headers: { Authorization: `Bearer ${token}` } }));
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(await codeOf(KEYS, method)).toBe('identity-unavailable');
  expect(await codeOf('/api/v1/entitlements', 'GET')).toBe('identity-unavailable');
  expect((await alone.ask('/api/v1/entitlements', { headers: { 'X-API-Key': key } })).status).toBe(200);
  expect((await alone.ask(KEYS, { method: 'DELETE', headers: { 'X-API-Key': key } })).status).toBe(200);
  await alone.stop();
});
