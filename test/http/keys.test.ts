import { bundlePath } from '../../schemas/paths.js';
import {
  asJson,
  KEYS_PATH,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import {
  readDocument,
  readProblem,
  readProblemCode,
  type AnyDocument,
} from '../support/gateway/http-answers.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
let server: DashboardServer;

beforeAll(async () => (server = await startDashboardServer(() => Date.parse('2026-08-20T23:59:00Z'))));
afterAll(() => server.dispose());

/** Creates a key, and returns its text and id. */
async function createKey({ request }: Dashboard, label?: string): Promise<{ key: string; id: string }> {
  const { key, id } = await readDocument(await request('POST', asJson({ label })));
  return { key: String(key), id: String(id) };
}

async function listKeys({ request }: Dashboard): Promise<readonly AnyDocument[]> {
  return (await readDocument(await request('GET'))).keys as AnyDocument[]; // as the schema says
}

const useKey = (key: string): Promise<Response> =>
  server.gateway.request(BUNDLE, { headers: { 'X-API-Key': key } });

describe('POST', () => {
  it('creates a key that works at once', async () => {
    const dashboard = await server.openSession();
    for (const label of ['first', 'second']) {
      const response = await dashboard.request('POST', asJson({ label }));
      expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
      const { key, ...rest } = await readDocument(response);
      expect(rest).toEqual({ id: String(key).slice(9, 17), label, created_at: '2026-08-20T23:59:00Z' });
      expect((await useKey(String(key))).status).toBe(307);
    }
  });

  it('is rejected without an active grant and creates nothing', async () => {
    const never = await server.openSession({ granted: false });
    const ended = await server.openSession();
    await server.gateway.accounts.grant(ended.account, {
      plan: 'research',
      chain: null,
      until: '2026-08-20T23:00:00Z',
      reason: 'over',
    });
    for (const each of [never, ended]) {
      expect(await readProblemCode(await each.request('POST'))).toBe('subscription-inactive');
      expect(await listKeys(each)).toEqual([]);
    }
  });

  it('creates at most five active keys, also for ten simultaneous requests', async () => {
    const dashboard = await server.openSession();
    const answers = await Promise.all(Array.from({ length: 10 }, () => dashboard.request('POST')));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(5).fill(409),
    ]);
    const [first] = await listKeys(dashboard);
    expect(await readProblemCode(await dashboard.request('POST'))).toBe('key-limit-reached');
    await dashboard.request('DELETE', asJson({ id: first?.id }));
    expect((await dashboard.request('POST')).status).toBe(201);
    expect(await listKeys(dashboard)).toHaveLength(6);
  });

  it('is refused after twenty keys within a day, also if each was revoked', async () => {
    const dashboard = await server.openSession();
    for (let n = 0; n < 20; n += 1) {
      const { id } = await createKey(dashboard);
      expect((await dashboard.request('DELETE', asJson({ id }))).status).toBe(200);
    }
    const refused = await dashboard.request('POST');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86400']);
    expect(await readProblem(refused)).toMatchObject({
      code: 'rate-limited',
      detail: 'An account can create 20 keys within 24 hours. Wait 86400 s.',
    });
    expect(await listKeys(dashboard)).toHaveLength(20);
  });

  it.each([
    ['none', undefined, null],
    ['null', null, null],
    ['64 characters', 'x'.repeat(64), 'x'.repeat(64)],
    ['64 emoji', '🔑'.repeat(64), '🔑'.repeat(64)],
    ['text in any script', 'Büro 東京 №1', 'Büro 東京 №1'],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('accepts a label: %s', async (_name, label, stored) => {
    const dashboard = await server.openSession();
    const created = await readDocument(await dashboard.request('POST', asJson({ label })));
    expect([created.label, (await listKeys(dashboard))[0]?.label]).toEqual([stored, stored]);
  });

  it.each([
    ['65 characters', 'x'.repeat(65)],
    ['65 emoji', '🔑'.repeat(65)],
    ['an empty string', ''],
    ['blanks', '   '],
    ['a line break', 'a\nb'],
    ['a null byte', 'a\u0000'],
    ['an escape sequence', '\u001b[31m'],
    ['a direction override', 'a\u202eb'],
    ['a lone surrogate', '\ud800'],
    ['a number', 7],
    ['an array', ['x']],
    ['an object', { toString: 'x' }],
    ['true', true],
  ])('rejects a label: %s', async (_name, label) => {
    const dashboard = await server.openSession();
    const problem = await readProblem(await dashboard.request('POST', asJson({ label })));
    expect([problem.code, problem.detail]).toEqual(['request-malformed', expect.stringContaining('label')]);
    expect(await listKeys(dashboard)).toEqual([]);
  });

  it('rejects a label of almost the longest body quickly', async () => {
    const { request } = await server.openSession();
    const label = `${'a'.repeat(65_000)}\n`;
    const startedMs = performance.now();
    expect(await readProblemCode(await request('POST', asJson({ label })))).toBe('request-malformed');
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});

describe('GET', () => {
  it('lists the keys with their last day of use and without secrets', async () => {
    const [dashboard, other] = [await server.openSession(), await server.openSession()];
    const used = await createKey(dashboard, 'used');
    const unused = await createKey(dashboard, 'unused');
    const foreignKey = await createKey(other);
    await useKey(used.key);
    await dashboard.request('DELETE', asJson({ id: unused.id }));
    const created = { created_at: '2026-08-20T23:59:00Z' };
    const expected = [
      { id: used.id, label: 'used', ...created, revoked_at: null, last_used: '2026-08-20' },
      { id: unused.id, label: 'unused', ...created, revoked_at: '2026-08-20T23:59:00Z', last_used: null },
    ];
    const listed = await listKeys(dashboard);
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(expect.arrayContaining(expected));
    const text = JSON.stringify(listed);
    for (const { key } of [used, unused, foreignKey]) expect(text).not.toContain(key.slice(18));
    expect(text).not.toContain(foreignKey.id);
  });

  it('is empty for a new account and takes no parameters', async () => {
    const dashboard = await server.openSession({ granted: false });
    expect(await listKeys(dashboard)).toEqual([]);
    for (const path of [`${KEYS_PATH}?account=account-1`, `${KEYS_PATH}?x`]) {
      expect(await readProblemCode(await dashboard.request('GET', { path }))).toBe('request-malformed');
      expect(await readProblemCode(await dashboard.request('POST', { path }))).toBe('request-malformed');
    }
  });
});

it('logs neither keys nor tokens', async () => {
  const dashboard = await server.openSession();
  const { key } = await createKey(dashboard, 'a planted label');
  await useKey(key);
  const log = server.gateway.log();
  expect(log).toContain('"decision":"key-created"');
  for (const secret of [key, key.slice(18), 'eyJ', 'a planted label', dashboard.account]) {
    expect(log).not.toContain(secret);
  }
});
