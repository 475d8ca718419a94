import { bundlePath } from '../../schemas/paths.js';
import {
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import type { GatewayServer } from '../support/gateway/gateway-server.js';
import { readDocument, readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { sendRaw } from '../support/gateway/raw-http.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const NOW = Date.parse('2026-08-20T12:00:00Z');
const CACHE_MS = 30_000;
let nowMs = NOW;
let server: DashboardServer;
let gateway: GatewayServer;
let authorization: string;
let foreignKey: string;

beforeAll(async () => {
  server = await startDashboardServer(() => nowMs);
  ({ gateway } = server);
  ({ authorization } = await server.openSession({ account: 'mine' }));
  foreignKey = await gateway.createKey({ account: 'theirs', plan: 'research' });
});
beforeEach(async () => {
  nowMs = NOW;
  for (const id of Object.keys((await gateway.accounts.readAccount('mine'))?.keys ?? {})) {
    await gateway.accounts.revokeKey('mine', id);
  }
});
afterAll(() => server.dispose());

const createKey = (): Promise<string> => gateway.createKey({ account: 'mine', plan: 'research' });
const idOf = (key: string): string => key.slice(9, 17);

type Credentials = { readonly key?: string; readonly session?: boolean };

/** Requests a revocation, with the session by default. */
function revoke(
  { query = '', body }: { readonly query?: string; readonly body?: unknown },
  { key, session = key === undefined }: Credentials = {},
): Promise<Response> {
  return gateway.request(KEYS_PATH + query, {
    method: 'DELETE',
    headers: {
      ...(session ? { Authorization: authorization } : {}),
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const useKey = (key: string): Promise<Response> => gateway.request(BUNDLE, { headers: { 'X-API-Key': key } });

describe('DELETE with the session', () => {
  it.each([
    ['the body', (id: string) => ({ body: { id } })],
    ['the query', (id: string) => ({ query: `?id=${id}` })],
  ])('revokes the key named in %s permanently', async (_name, make) => {
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

  it('refuses the key at once in this process, and not the other keys of the account', async () => {
    const [key, other] = [await createKey(), await createKey()];
    expect([(await useKey(key)).status, (await useKey(other)).status]).toEqual([307, 307]);
    expect((await revoke({ body: { id: idOf(key) } })).status).toBe(200);
    expect(await readProblemCode(await useKey(key))).toBe('api-key-invalid');
    expect((await useKey(other)).status).toBe(307);
  });

  it('refuses the key at once when another process had revoked it before', async () => {
    const key = await createKey();
    expect((await useKey(key)).status).toBe(307);
    await gateway.accounts.revokeKey('mine', idOf(key));
    expect((await useKey(key)).status).toBe(307); // this process has not read the account since
    expect((await revoke({ body: { id: idOf(key) } })).status).toBe(200);
    expect(await readProblemCode(await useKey(key))).toBe('api-key-invalid');
  });

  it('does not refuse a key that it did not revoke', async () => {
    expect((await useKey(foreignKey)).status).toBe(307);
    expect(await readProblemCode(await revoke({ body: { id: idOf(foreignKey) } }))).toBe('not-found');
    expect((await useKey(foreignKey)).status).toBe(307);
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
    ['an array', { body: ['AAAAAAAA'] }],
  ])('is malformed with %s', async (_name, asked) => {
    expect(await readProblemCode(await revoke(asked))).toBe('request-malformed');
  });

  it("returns the same problem for another account's key, an unknown key and a malformed id", async () => {
    const ids = [idOf(foreignKey), 'AAAAAAAA', 'toString', '', '../mine', 'x'.repeat(1_000), foreignKey];
    const problems = await Promise.all(
      ids.map(async (id) => {
        const { instance: _id, ...rest } = await readProblem(await revoke({ body: { id } }));
        return JSON.stringify(rest);
      }),
    );
    expect(new Set(problems).size).toBe(1);
    expect(problems[0]).toContain('"code":"not-found"');
    expect((await useKey(foreignKey)).status).toBe(307);
  });
});

describe('DELETE with a key', () => {
  it('revokes that key, which is still rejected after the caches have expired', async () => {
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

  it('is followed by a refusal at once, without waiting for the caches', async () => {
    const key = await createKey();
    expect((await useKey(key)).status).toBe(307);
    expect((await useKey(key)).status).toBe(307); // from the cache
    expect((await revoke({}, { key })).status).toBe(200);
    expect(await readProblemCode(await useKey(key))).toBe('api-key-invalid');
    const entitlements = await gateway.request(ENTITLEMENTS_PATH, { headers: { 'X-API-Key': key } });
    expect(await readProblemCode(entitlements)).toBe('api-key-invalid');
  });

  it('may name only its own id', async () => {
    const [key, other] = [await gateway.createKey({ account: 'mine' }), await createKey()];
    expect(await readProblemCode(await revoke({ body: { id: idOf(other) } }, { key }))).toBe('not-found');
    expect(await readProblemCode(await revoke({ query: `?id=${idOf(foreignKey)}` }, { key }))).toBe(
      'not-found',
    );
    expect((await useKey(other)).status).toBe(307);
    expect((await revoke({ query: `?id=${idOf(key)}` }, { key })).status).toBe(200);
  });

  it('allows a key nothing else', async () => {
    const init = { headers: { 'X-API-Key': await createKey() } };
    for (const method of ['GET', 'POST']) {
      expect(await readProblemCode(await gateway.request(KEYS_PATH, { ...init, method }))).toBe(
        'session-invalid',
      );
    }
  });
});

describe('a key as a bearer token', () => {
  it('reads its entitlements and revokes itself', async () => {
    const headers = { Authorization: `Bearer ${await createKey()}` };
    expect((await gateway.request(ENTITLEMENTS_PATH, { headers })).status).toBe(200);
    expect((await gateway.request(KEYS_PATH, { headers, method: 'DELETE' })).status).toBe(200);
    expect(await readProblemCode(await gateway.request(ENTITLEMENTS_PATH, { headers }))).toBe(
      'api-key-invalid',
    );
  });

  it('is asked for where Authorization has neither a key nor a session', async () => {
    for (const [path, method] of [
      [ENTITLEMENTS_PATH, 'GET'],
      [KEYS_PATH, 'DELETE'],
    ] as const)
      for (const Authorization of ['Bearer', 'Bearer undefined', 'Basic eDp5']) {
        const response = await gateway.request(path, { headers: { Authorization }, method });
        expect(await readProblemCode(response)).toBe('api-key-missing');
      }
  });

  it('is no session', async () => {
    const headers = { Authorization: `Bearer ${await createKey()}` };
    for (const method of ['GET', 'POST']) {
      const response = await gateway.request(KEYS_PATH, { headers, method });
      expect(await readProblemCode(response)).toBe('session-invalid');
    }
  });
});

describe('credentials', () => {
  it('must be exactly one', async () => {
    const key = await createKey();
    expect(await readProblemCode(await revoke({}, { key, session: true }))).toBe('request-malformed');
    const headers = { 'X-API-Key': key, Authorization: authorization };
    for (const path of [KEYS_PATH, ENTITLEMENTS_PATH, BUNDLE]) {
      expect(await readProblemCode(await gateway.request(path, { headers }))).toBe('request-malformed');
    }
    expect((await useKey(key)).status).toBe(307);
  });

  it('are rejected when a header is repeated', async () => {
    const other = await server.openSession({ account: 'theirs' });
    const headers = [authorization, other.authorization].map((each) => ['Authorization', each] as const);
    for (const target of [KEYS_PATH, ENTITLEMENTS_PATH]) {
      const response = await sendRaw(gateway.url, { target, headers });
      expect(await readProblemCode(response)).toBe('request-malformed');
    }
    const keys = [foreignKey, foreignKey].map((each) => ['X-API-Key', each] as const);
    for (const target of [BUNDLE, ENTITLEMENTS_PATH]) {
      const response = await sendRaw(gateway.url, { target, headers: keys });
      expect(await readProblemCode(response)).toBe('api-key-invalid');
    }
  });

  it.each([
    ['an empty header', ''],
    ['no token', 'Bearer'],
    ['a token that is no JWT', 'Bearer x'],
    ['another scheme', 'Basic eDp5'],
    ['a token of two parts', 'bearer eyJh.eyJh'],
    ['a token of 9,000 characters', `Bearer ${'x'.repeat(9_000)}`],
  ])('that are not a valid session are rejected: %s', async (_name, text) => {
    const response = await gateway.request(KEYS_PATH, { headers: { Authorization: text } });
    expect(await readProblemCode(response)).toBe('session-invalid');
  });
});
