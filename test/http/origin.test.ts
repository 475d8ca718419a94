import { ENDPOINTS, PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { openSmallRelease } from '../support/release/small-release.js';

const CURRENT = 'the current secret, of 32 or more bytes';
const PREVIOUS = 'the previous secret, of 32 or more bytes';

let nowMs = Date.parse('2026-08-20T12:00:00Z');
let gateway: GatewayServer;
beforeAll(async () => {
  const configuration = { originSecrets: [CURRENT, PREVIOUS] };
  gateway = await startGateway({ store: await openSmallRelease(), now: () => nowMs, configuration });
});
afterAll(() => gateway.stop());

const request = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.request(path, { headers });

it.each([CURRENT, PREVIOUS])('answers a request that the proxy in front has sent: %s', async (secret) => {
  const { status } = await request(PUBLIC_PATHS.status, { 'X-Origin-Secret': secret });
  expect(status).toBe(200);
});

it.each<[string, Record<string, string>]>([
  ['without the secret', {}],
  ['with another secret', { 'X-Origin-Secret': `${CURRENT}x` }],
  ['with both secrets in one header', { 'X-Origin-Secret': `${CURRENT}, ${PREVIOUS}` }],
])('refuses a request %s, wherever it leads', async (_name, headers) => {
  for (const path of [PUBLIC_PATHS.status, '/api/v1/files/gold/base/latest.json', '/account', '/unknown']) {
    const answer = await request(path, headers);
    expect([answer.status, await answer.text()]).toEqual([403, '']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

it.each([ENDPOINTS.health, ENDPOINTS.readiness])('answers %s without the secret', async (path) => {
  expect((await request(path)).status).toBe(200);
  // A check through the proxy finds out that the proxy has a wrong secret.
  expect((await request(path, { 'X-Origin-Secret': `${CURRENT}x` })).status).toBe(403);
});

it('logs a refusal at most once a minute, without the secret', async () => {
  const warnings = (): number => gateway.log().split('CRD_ORIGIN_SECRET was refused').length - 1;
  nowMs += 61_000;
  const before = warnings();
  for (let i = 0; i < 3; i += 1) await request(PUBLIC_PATHS.status);
  expect(warnings()).toBe(before + 1);
  nowMs += 61_000;
  await request(PUBLIC_PATHS.status);
  expect(warnings()).toBe(before + 2);
  await request(PUBLIC_PATHS.status, { 'X-Origin-Secret': CURRENT });
  expect(gateway.log()).not.toContain(CURRENT);
});
