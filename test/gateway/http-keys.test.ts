import { gzipSync } from 'node:zlib';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { bundlePath } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { readDocument, readProblem, readProblemCode, type AnyDocument } from '../fixtures/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';

const KEYS = '/api/v1/keys';
const BUNDLE = bundlePath('gold', 'base', '7d');
const NOW = Date.parse('2026-08-20T23:59:00Z');
const LIMIT_BYTES = 65_536;
const store = createMemoryStore();
let nowMs = NOW;
let accounts = 0;
let provider: IdentityProvider;
let gateway: GatewayServer;

beforeAll(async () => {
  const inputs = [randomSeries({ chain: 'base', seed: 7, days: 3 })];
  await publishSeries(store, { inputs, asOf: '2022-01-04' });
  provider = await startIdentityProvider(() => nowMs);
  const { jwksUrl: url, issuer, audience } = provider;
  const sessions = { jwks: { kind: 'url', url }, issuer, audience } as const;
  gateway = await startGateway({ store, now: () => nowMs, configuration: { sessions } });
});
afterAll(async () => {
  await gateway.stop();
  await provider.dispose();
});

/** A new account with a plan and its session. */
async function createDashboard({ granted = true } = {}): Promise<Dashboard> {
  const account = `account-${(accounts += 1)}`;
  if (granted) {
    const until = '2999-01-01T00:00:00Z';
    await gateway.accounts.grant(account, { plan: 'research', chain: null, until, reason: 'a test' });
  }
  const token = await provider.sign({ account });
  return {
    account,
    ask: (method, { path = KEYS, body, headers = {} } = {}) =>
      gateway.ask(path, {
        method,
        headers: { Authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body }),
      }),
  };
}

type Asked = { readonly path?: string; readonly body?: BodyInit; readonly headers?: Record<string, string> };
type Dashboard = {
  readonly account: string;
  readonly ask: (method: string, asked?: Asked) => Promise<Response>;
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
const asJson = (document: unknown): Asked => ({ body: JSON.stringify(document), headers: JSON_TYPE });

/** A key of the account, as its creation answered. */
async function createKey({ ask }: Dashboard, label?: string): Promise<{ key: string; id: string }> {
  const { key, id } = await readDocument(await ask('POST', asJson({ label })));
  return { key: String(key), id: String(id) };
}

async function listKeys({ ask }: Dashboard): Promise<readonly AnyDocument[]> {
  return (await readDocument(await ask('GET'))).keys as AnyDocument[]; // as contract.md has it
}

const useKey = (key: string): Promise<Response> => gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } });

describe('POST', () => {
  it('creates a key that works at once', async () => {
    const dashboard = await createDashboard();
    for (const label of ['first', 'second']) {
      const response = await dashboard.ask('POST', asJson({ label }));
      expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
      const { key, ...rest } = await readDocument(response);
      expect(rest).toEqual({ id: String(key).slice(9, 17), label, created_at: '2026-08-20T23:59:00Z' });
      expect((await useKey(String(key))).status).toBe(307);
    }
  });

  it('is refused without an active grant, and nothing is made', async () => {
    const never = await createDashboard({ granted: false });
    const over = await createDashboard();
    await gateway.accounts.grant(over.account, {
      plan: 'research',
      chain: null,
      until: '2026-08-20T23:00:00Z',
      reason: 'over',
    });
    for (const each of [never, over]) {
      expect(await readProblemCode(await each.ask('POST'))).toBe('subscription-inactive');
      expect(await listKeys(each)).toEqual([]);
    }
  });

  it('gives five active keys and no sixth, also to ten who ask at once', async () => {
    const dashboard = await createDashboard();
    const answers = await Promise.all(Array.from({ length: 10 }, () => dashboard.ask('POST')));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(5).fill(409),
    ]);
    const [first] = await listKeys(dashboard);
    expect(await readProblemCode(await dashboard.ask('POST'))).toBe('key-limit-reached');
    await dashboard.ask('DELETE', asJson({ id: first?.id }));
    expect((await dashboard.ask('POST')).status).toBe(201);
    expect(await listKeys(dashboard)).toHaveLength(6);
  });

  it.each([
    ['none', undefined, null],
    ['null', null, null],
    ['64 characters', 'x'.repeat(64), 'x'.repeat(64)],
    ['64 emoji', '🔑'.repeat(64), '🔑'.repeat(64)],
    ['words in any script', 'Büro 東京 №1', 'Büro 東京 №1'],
    ['what a page must not run', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('takes a label: %s', async (_name, label, kept) => {
    const dashboard = await createDashboard();
    const created = await readDocument(await dashboard.ask('POST', asJson({ label })));
    expect([created.label, (await listKeys(dashboard))[0]?.label]).toEqual([kept, kept]);
  });

  it.each([
    ['65 characters', 'x'.repeat(65)],
    ['65 emoji', '🔑'.repeat(65)],
    ['nothing', ''],
    ['blanks', '   '],
    ['a line break', 'a\nb'],
    ['a null byte', 'a\u0000'],
    ['an escape sequence', '\u001b[31m'],
    ['a change of direction', 'a\u202eb'],
    ['half a character', '\ud800'],
    ['a number', 7],
    ['a list', ['x']],
    ['an object', { toString: 'x' }],
    ['true', true],
  ])('refuses a label: %s', async (_name, label) => {
    const dashboard = await createDashboard();
    const problem = await readProblem(await dashboard.ask('POST', asJson({ label })));
    expect([problem.code, problem.detail]).toEqual(['request-malformed', expect.stringContaining('label')]);
    expect(await listKeys(dashboard)).toEqual([]);
  });

  it('takes no time for a label as long as a body may be', async () => {
    const { ask } = await createDashboard();
    const label = `${'a'.repeat(65_000)}\n`;
    const startedMs = performance.now();
    expect(await readProblemCode(await ask('POST', asJson({ label })))).toBe('request-malformed');
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});

describe('the body of a request', () => {
  const padded = (size: number): string => '{}'.padStart(size);
  const stream = (text: string): ReadableStream => new Blob([text]).stream();

  it.each<[string, Asked, number]>([
    ['no body', {}, 201],
    ['an empty one', { body: '', headers: JSON_TYPE }, 201],
    ['an empty object', asJson({}), 201],
    ['UTF-8 by name', { body: '{}', headers: { 'Content-Type': 'application/json; charset=UTF-8' } }, 201],
    ['64 KiB', { body: padded(LIMIT_BYTES), headers: JSON_TYPE }, 201],
    ['64 KiB and a byte', { body: padded(LIMIT_BYTES + 1), headers: JSON_TYPE }, 413],
    ['a megabyte', { body: padded(1_000_000), headers: JSON_TYPE }, 413],
    ['half an object', { body: '{"label":', headers: JSON_TYPE }, 400],
    [
      'bytes that are no UTF-8 inside JSON',
      { body: Buffer.from([0x7b, 0xff, 0x7d]), headers: JSON_TYPE },
      400,
    ],
    ['a list', asJson([]), 400],
    ['a text', asJson('x'), 400],
    ['a number', asJson(7), 400],
    ['null', asJson(null), 400],
    ['an unknown member', asJson({ label: 'x', id: 'x' }), 400],
    ['a member of every object', { body: '{"__proto__":{"label":"x"}}', headers: JSON_TYPE }, 400],
    ['a form', { body: 'label=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
    ['a text by type', { body: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    ['no type', { body: Buffer.from('{}') }, 415],
    ['a problem', { body: '{}', headers: { 'Content-Type': 'application/problem+json' } }, 415],
    ['Latin 1', { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } }, 415],
    ['gzip', { body: gzipSync('{}'), headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' } }, 415],
  ])('%s', async (_name, asked, status) => {
    const response = await (await createDashboard()).ask('POST', asked);
    expect(response.status).toBe(status);
    if (status !== 201) await readProblem(response);
  });

  it.each([
    [LIMIT_BYTES, 201],
    [LIMIT_BYTES + 1, 413],
  ])('of %i bytes that come in pieces is %i', async (size, status) => {
    const token = await provider.sign({ account: (await createDashboard()).account });
    const init = { method: 'POST', body: stream(padded(size)), duplex: 'half' } as RequestInit; // Node needs duplex
    const response = await gateway.ask(KEYS, {
      ...init,
      headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(status);
  });

  it('is not looked at before the caller is known', async () => {
    for (const method of ['POST', 'DELETE']) {
      const init = { method, body: padded(LIMIT_BYTES + 1), headers: JSON_TYPE };
      expect(await readProblemCode(await gateway.ask(KEYS, init))).toBe('session-invalid');
    }
  });
});

describe('GET', () => {
  it('lists the keys of the account with their last day of use, and no secret', async () => {
    const [dashboard, other] = [await createDashboard(), await createDashboard()];
    const used = await createKey(dashboard, 'used');
    const unused = await createKey(dashboard, 'unused');
    const theirs = await createKey(other);
    await useKey(used.key);
    await dashboard.ask('DELETE', asJson({ id: unused.id }));
    const created = { created_at: '2026-08-20T23:59:00Z' };
    const expected = [
      { id: used.id, label: 'used', ...created, revoked_at: null, last_used: '2026-08-20' },
      { id: unused.id, label: 'unused', ...created, revoked_at: '2026-08-20T23:59:00Z', last_used: null },
    ];
    const listed = await listKeys(dashboard);
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(expect.arrayContaining(expected));
    const text = JSON.stringify(listed);
    for (const { key } of [used, unused, theirs]) expect(text).not.toContain(key.slice(18));
    expect(text).not.toContain(theirs.id);
  });

  it('has nothing of an account that is new, and takes no parameters', async () => {
    const dashboard = await createDashboard({ granted: false });
    expect(await listKeys(dashboard)).toEqual([]);
    for (const path of [`${KEYS}?account=account-1`, `${KEYS}?x`]) {
      expect(await readProblemCode(await dashboard.ask('GET', { path }))).toBe('request-malformed');
      expect(await readProblemCode(await dashboard.ask('POST', { path }))).toBe('request-malformed');
    }
  });
});

it('writes no key and no token into the log', async () => {
  const dashboard = await createDashboard();
  const { key } = await createKey(dashboard, 'a planted label');
  await useKey(key);
  const log = gateway.log();
  expect(log).toContain('"decision":"key-created"');
  for (const secret of [key, key.slice(18), 'eyJ', 'a planted label', dashboard.account]) {
    expect(log).not.toContain(secret);
  }
});
