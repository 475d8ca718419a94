import { createMemoryStore } from '../support/stores/memory-store.js';
import {
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readDocument, readProblemCode, type AnyDocument } from '../support/gateway/http-answers.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
let nowMs = NOW;
let server: DashboardServer;
let gateway: GatewayServer;

beforeAll(async () => {
  server = await startDashboardServer(() => nowMs);
  ({ gateway } = server);
});
beforeEach(() => (nowMs = NOW));
afterAll(() => server.dispose());

const entitlementsOf = async (headers: Record<string, string>): Promise<AnyDocument> => {
  const response = await gateway.request(ENTITLEMENTS_PATH, { headers });
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
] as const)(
  'a key and a session have the same entitlements, and a session also has its subscription: %s',
  async (name, grants, expected) => {
    for (const [plan, chain] of grants) await grant(name, plan, chain);
    const key = await gateway.createKey({ account: name });
    const { authorization } = await server.openSession({ account: name, granted: false });
    const byKey = await entitlementsOf({ 'X-API-Key': key });
    expect(byKey).toMatchObject({ schema: 'entitlements/1', ...expected });
    expect(byKey.grants).toHaveLength(grants.length);
    expect(await entitlementsOf({ Authorization: authorization })).toEqual({ ...byKey, subscription: null });
  },
);

it('entitlements exist for an unknown account, begin at once and end with the grant', async () => {
  const session = {
    Authorization: (await server.openSession({ account: 'another account', granted: false })).authorization,
  };
  expect(await entitlementsOf(session)).toMatchObject({ active: false, grants: [] });
  const key = await gateway.createKey({ account: 'another account' });
  await grant('another account', 'research', null);
  expect(await entitlementsOf({ 'X-API-Key': key })).toMatchObject({ active: true });
  nowMs = Date.parse(until);
  expect(await entitlementsOf({ 'X-API-Key': key })).toMatchObject({ active: false, grants: [] });
});

it('entitlements require a credential and take no parameters', async () => {
  expect(await readProblemCode(await gateway.request(ENTITLEMENTS_PATH))).toBe('api-key-missing');
  const headers = { 'X-API-Key': await gateway.createKey() };
  const response = await gateway.request(`${ENTITLEMENTS_PATH}?account=mine`, { headers });
  expect(await readProblemCode(response)).toBe('request-malformed');
});

it('entitlements reject sessions but accept keys without an identity provider', async () => {
  const withoutProvider = await startGateway({ store: createMemoryStore() });
  const key = await withoutProvider.createKey({ plan: 'research' });
  const codeOf = async (path: string, method: string): Promise<string> =>
    readProblemCode(
      await withoutProvider.request(path, { method, headers: { Authorization: 'Bearer eyJh.eyJh.eyJh' } }),
    );
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(await codeOf(KEYS_PATH, method)).toBe('identity-unavailable');
  expect(await codeOf(ENTITLEMENTS_PATH, 'GET')).toBe('identity-unavailable');
  expect((await withoutProvider.request(ENTITLEMENTS_PATH, { headers: { 'X-API-Key': key } })).status).toBe(
    200,
  );
  expect(
    (await withoutProvider.request(KEYS_PATH, { method: 'DELETE', headers: { 'X-API-Key': key } })).status,
  ).toBe(200);
  await withoutProvider.stop();
});
