import { cutSeries } from '../../generator/core/input/input-series.js';
import type { PlanId } from '../../schemas/catalog.js';
import { bundlePath, dayPath, manifestPath } from '../../schemas/paths.js';
import type { BriefDay } from '../../schemas/types.generated.js';
import { startDashboardServer, type Dashboard, type DashboardServer } from '../support/gateway/dashboard.js';
import { rollBack } from '../support/release/operate.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { readCurrent } from '../support/release/read-release.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

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

describe('the text of a brief', () => {
  const BRIEF = `${dayPath('briefs', 'base', '2022-01-02')}?redirect=false`;

  const openWith = async (plan: PlanId): Promise<Dashboard> => {
    const session = await server.openSession({ granted: false });
    const chain = plan === 'research' ? null : 'base';
    const grant = { plan, chain, until: '2999-01-01T00:00:00Z', reason: 'a test' } as const;
    await server.gateway.accounts.grant(session.account, grant);
    return session;
  };

  it('is in the document of a session with every brief, and is that of the published record', async () => {
    const { request } = await openWith('research');
    const answer = await request('GET', { path: BRIEF });
    const { url, brief } = (await answer.json()) as { url: string; brief: unknown };
    const { headline, body } = (await (await fetch(url)).json()) as BriefDay;
    expect(headline).toContain('2022-01-02');
    expect(brief).toEqual({ headline, body });
    const head = await request('HEAD', { path: BRIEF });
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
  });

  it('is in no other document, and in no answer to a key', async () => {
    const { account, authorization, request } = await openWith('research');
    for (const path of [
      bundlePath('briefs', 'base', '7d'),
      manifestPath('briefs', 'base'),
      dayPath('meta', 'base', '2022-01-02'),
    ])
      expect(await (await request('GET', { path: `${path}?redirect=false` })).json()).not.toHaveProperty(
        'brief',
      );
    const key = await server.gateway.createKey({ account });
    const ofKey = (headers: Record<string, string>): Promise<Response> =>
      server.gateway.request(BRIEF, { headers });
    for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }]) {
      const document: unknown = await (await ofKey(headers)).json();
      expect(document).toHaveProperty('url');
      expect(document).not.toHaveProperty('brief');
    }
    const both = await ofKey({ 'X-API-Key': key, Authorization: authorization });
    expect(await both.text()).not.toContain('headline');
  });

  it('is refused with the plan that has it, to a session with the latest brief only, and to one without a plan', async () => {
    const latest = await (await openWith('single-chain')).request('GET', { path: BRIEF });
    expect(latest.status).toBe(403);
    const detail = 'The account has Single Chain for base. This file is part of Research.';
    expect(await latest.json()).toMatchObject({ code: 'not-entitled', detail });
    const none = await (await server.openSession({ granted: false })).request('GET', { path: BRIEF });
    expect(none.status).toBe(403);
    expect(await none.json()).toMatchObject({ code: 'subscription-inactive' });
  });

  it('is not sent again with 304', async () => {
    const { request } = await openWith('research');
    const { sha256 } = (await (await request('GET', { path: BRIEF })).json()) as { sha256: string };
    const headers = { 'If-None-Match': `"sha256:${sha256}"` };
    const again = await request('GET', { path: BRIEF, headers });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('is gone when its day is withdrawn', async () => {
    const store = createMemoryStore();
    const series = randomSeries({ chain: 'base', seed: 7, days: 3 });
    await publishSeries(store, { inputs: [cutSeries(series, '2022-01-01')], asOf: '2022-01-02T06:00:00Z' });
    const { revision } = await readCurrent(store);
    await publishSeries(store, { inputs: [series], asOf: '2022-01-04T06:00:00Z' });
    await rollBack(store, { asOf: '2022-01-04T07:00:00Z', to: revision, reason: 'a test' });
    const other = await startDashboardServer(() => NOW, { store });
    const { request } = await other.openSession();
    const answer = await request('GET', { path: BRIEF });
    expect(answer.status).toBe(410);
    expect(await answer.text()).not.toContain('headline');
    await other.dispose();
  });
});
