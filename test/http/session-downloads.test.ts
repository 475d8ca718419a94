import { bundlePath, manifestPath } from '../../schemas/paths.js';
import { startDashboardServer, type DashboardServer } from '../support/gateway/dashboard.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const FILE = `${bundlePath('gold', 'base', '7d')}?redirect=false`;
let server: DashboardServer;
beforeAll(async () => {
  server = await startDashboardServer(() => NOW);
});
afterAll(() => server.dispose());

it('a session gets the link of a file that its plan includes, and the link needs no credential', async () => {
  const { request } = await server.openSession();
  const answer = await request('GET', { path: FILE });
  expect(answer.status).toBe(200);
  const { url, sha256 } = (await answer.json()) as { url: string; sha256: string };
  const file = await fetch(url);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="base-gold-7d-latest.json"');
  expect(file.headers.get('etag')).toContain(sha256);
  const manifest = await request('GET', {
    path: `${manifestPath('gold', 'base')}?redirect=false&volumes=csv`,
  });
  expect(await manifest.json()).toMatchObject({ volumes: expect.any(Array) });
});

it('a session without a plan is refused like a key without one', async () => {
  const { request } = await server.openSession({ granted: false });
  const answer = await request('GET', { path: FILE });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'subscription-inactive' });
});

it('a session gets no redirect, which a browser would follow with it', async () => {
  const { request } = await server.openSession();
  const answer = await request('GET', { path: bundlePath('gold', 'base', '7d') });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ code: 'api-key-missing' });
});

it('an invalid session is refused as a session', async () => {
  const { authorization } = await server.openSession();
  const headers = { Authorization: `${authorization.slice(0, -4)}AAAA` };
  const answer = await server.gateway.request(FILE, { headers });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ code: 'session-invalid' });
});
