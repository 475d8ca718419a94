import type { ObjectStore } from '../../infra/store/object-store.js';
import { bundlePath, dayPath, objectKey, POINTER_KEY, PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblem } from '../support/gateway/http-answers.js';
import { readCurrent } from '../support/release/read-release.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { sendRaw, type RawRequest } from '../support/gateway/raw-http.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const DAY = dayPath('gold', 'base', '2022-01-02');
const { status: STATUS } = PUBLIC_PATHS;
const SELLING = ['/api/v1/checkout', '/api/v1/checkout/portal', '/api/v1/stripe/webhook'];
let store: ObjectStore;
let gateway: GatewayServer;
let key: string;
let sha256: string;

beforeAll(async () => {
  store = await openSmallRelease();
  sha256 = (await readCurrent(store)).bundles[BUNDLE]?.sha256 ?? '';
  gateway = await startGateway({ store });
  key = await gateway.createKey({ plan: 'research' });
});
afterAll(() => gateway.stop());

const send = (request: RawRequest): Promise<Response> =>
  sendRaw(gateway.url, { ...request, headers: [['X-API-Key', key], ...(request.headers ?? [])] });

/** Asserts that a target is answered with a problem that reveals nothing about the store. */
async function expectNothing(target: string, statuses: readonly number[] = [400, 404]): Promise<void> {
  const response = await send({ target });
  expect([target.slice(0, 200), statuses.includes(response.status) ? 'refused' : response.status]).toEqual([
    target.slice(0, 200),
    'refused',
  ]);
  expect((await readProblem(response)).detail).not.toContain(target);
  expect(response.headers.get('etag')).toBeNull();
}

/** Returns the path with a text inserted before its last segment. */
const around = (path: string, put: string): string => path.replace(/\/([^/]+)$/, `/${put}$1`);

const ATTACKS: readonly (readonly [name: string, make: (path: string) => readonly string[]])[] = [
  ['dots', (path) => ['../', './', 'x/../', '.../', '..;/', '....//'].map((put) => around(path, put))],
  ['dots at the start', (path) => [`/..${path}`, `/x/..${path}`, `/.${path}`, `/../../../..${path}`]],
  ['escaped dots', (path) => ['%2e%2e/', '%2E%2e%2f', '.%2e/', '%2e/', '..%2f'].map((put) => around(path, put))],
  ['double encoding', (path) => ['%252e%252e/', '%25%32%65/', '%255c'].map((put) => around(path, put))],
  ['overlong encoding', (path) => ['%c0%ae%c0%ae/', '%c0%af', '%e0%80%af', '%ff'].map((put) => around(path, put))],
  ['null bytes', (path) => [`${path}%00`, `${path}%00.json`, around(path, '%00'), `%00${path}`]],
  ['control characters', (path) => ['%0a', '%0d%0aX-Injected:%201', '%09', '%7f', '%1b'].map((put) => path + put)],
  ['broken escapes', (path) => ['%', '%2', '%zz', '%u002e'].map((put) => path + put)],
  ['double slashes', (path) => [`/${path}`, `//evil.example${path}`, around(path, '/'), path.replaceAll('/', '//')]],
  ['backslashes', (path) => [`/\\${path}`, around(path, '..\\'), path.replaceAll('/', '\\'), around(path, '%5c')]],
  ['escaped letters', (path) => [path.replace('a', '%61'), path.replaceAll('/', '%2f'), path.replace('.', '%2e')]],
  ['look-alikes', (path) => [path.replace('a', 'а'), path.replace('a', 'ａ'), path.replace('a', '%D0%B0'), path.replace('/', '∕'), path.replace('/', '%EF%BC%8F')]],
  ['another case', (path) => [path.toUpperCase(), path.replace('api', 'API'), path.replace(/[a-z](?=[^/]*$)/, (x) => x.toUpperCase())]],
  ['a trailing slash', (path) => [`${path}/`, `${path}//`, `${path}/.`, `${path}/..`]],
  ['path parameters', (path) => [`${path};x`, `${path};jsessionid=1`, around(path, ';/'), `${path},x`, `${path}:x`]],
  ['other names', (path) => [`${path}.json`, `${path}~`, `${path}.bak`, `${path}%20`, `.${path}`, path.slice(0, -1), path.slice(1)]],
  ['a fragment', (path) => [`${path}#`, `${path}#x`, `/#${path}`, `/x\\#${path}`]],
  ['length', (path) => [path + 'a'.repeat(8_000), `${'/a'.repeat(7_000)}${path}`, '/..'.repeat(5_000) + path]],
]; // prettier-ignore

/** Other addresses of a page, which redirect to it. */
const OTHER_ADDRESSES = ['/problems/gone/', '/problems/gone//'];

describe.each(ATTACKS)('%s', (_name, make) => {
  it.each([BUNDLE, DAY, STATUS, '/api/v1/keys', ...SELLING, '/problems/gone'])(
    'do not reach %s',
    async (path) => {
      const targets = make(path).filter((each) => each !== path && !OTHER_ADDRESSES.includes(each));
      for (const target of targets) await expectNothing(target);
    },
  );
});

it.each([
  [
    '2025-02-30',
    '2025-2-3',
    '0000-01-01',
    '2022-13-01',
    '2022-00-10',
    '2022-01-00',
    '2022-01-32',
    '2023-02-29',
  ],
  [
    '2022-01-2',
    '2022-01-002',
    '22-01-02',
    '+2022-01-02',
    '-2022-01-02',
    '12022-01-02',
    '2022-01-02T00:00:00Z',
  ],
  ['20220102', '2022-W01-1', '2022-002', '２０２２-01-02', '2022-01-02.json', 'today', 'latest.json', ''],
])('rejects dates such as %s', async (...dates) => {
  for (const date of dates) await expectNothing(DAY.replace('2022-01-02', date), [400, 404]);
});

it('does not serve store keys as paths', async () => {
  const keys = [POINTER_KEY, objectKey(sha256), `public${STATUS}`, 'store.json', 'releases/'];
  for (const each of keys) {
    for (const base of ['/', '/api/v1/', '/api/v1/files/', '/api/v1/files/gold/base/', '/problems/']) {
      await expectNothing(base + each);
    }
    await expectNothing(`/_objects/${each}`, [403]);
    await expectNothing(`/_objects/../${each}`, [403]);
    await expectNothing(`/_objects/%2e%2e/${each}`);
  }
  await expectNothing(`/_objects/${sha256}`, [403]);
  await expectNothing(`/_objects/${sha256.toUpperCase()}`, [403]);
});

it('rejects a head that is too large', async () => {
  await expectNothing(`${STATUS}${'/a'.repeat(10_000)}`, [400]);
  const headers = [['X-Long', 'a'.repeat(20_000)]] as const;
  expect((await readProblem(await send({ target: STATUS, headers }))).code).toBe('request-malformed');
});

describe('other forms of a target', () => {
  it('uses the path of an absolute target, regardless of the host', async () => {
    for (const origin of [
      'http://evil.example',
      'HTTPS://u:p@evil.example:99',
      'http://[bad',
      'http://xn--',
    ]) {
      expect((await send({ target: origin + STATUS })).headers.get('content-type')).toBe('application/json');
      expect((await send({ target: origin + BUNDLE })).headers.get('x-content-sha256')).toBe(sha256);
      await expectNothing(`${origin}/..${STATUS}`);
      expect((await send({ target: origin })).headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });

  it.each(['*', 'http:/x', 'ftp://a/x', `file://${STATUS}`, 'evil.example:443', 'api'])(
    'rejects %s',
    async (target) => {
      await expectNothing(target);
      for (const method of ['OPTIONS', 'CONNECT']) {
        const response = await send({ method, target });
        expect([400, 404]).toContain(response.status);
        await readProblem(response);
      }
    },
  );
});

describe('a target without a path', () => {
  it('means the front page, which ignores parameters', async () => {
    for (const target of ['http://', 'http://?x']) {
      expect((await send({ target })).headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    expect((await readProblem(await send({ target: '?x' }))).code).toBe('request-malformed');
  });
});

describe('the head of a request', () => {
  it('requires Host only in HTTP/1.1, and accepts any value', async () => {
    expect((await readProblem(await send({ target: STATUS, host: null }))).code).toBe('request-malformed');
    expect((await send({ target: STATUS, host: null, version: 'HTTP/1.0' })).status).toBe(200);
    for (const host of ['', 'evil.example', '127.0.0.1:1', 'a"b']) {
      const response = await send({ target: BUNDLE, host });
      expect(new URL(response.headers.get('location') ?? '').origin).toBe(gateway.url);
    }
  });

  it.each([[BUNDLE], [STATUS], ['/healthz'], ['/api/v1/keys']])(
    'cannot have two Hosts: %s',
    async (target) => {
      for (const [name, value] of [
        ['Host', 'evil.example'],
        ['hOST', new URL(gateway.url).host],
      ] as const) {
        // prettier-ignore
        const problem = await readProblem(await send({ target, headers: [[name, value]] }));
        expect([problem.status, problem.code, problem.detail]).toEqual([
          400,
          'request-malformed',
          'Send the header Host once.',
        ]);
      }
    },
  );

  it.each([
    ['Expect', 'a miracle'],
    ['Upgrade', 'h2c'],
    ['X-Original-URL', '/api/v1/keys'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-Host', 'evil.example'],
    ['Forwarded', 'host=evil.example'],
  ])('ignores %s', async (name, value) => {
    const response = await send({ target: BUNDLE, headers: [[name, value]] });
    expect([response.status, response.headers.get('x-content-sha256')]).toEqual([307, sha256]);
    expect(response.headers.get('location')).not.toContain('evil');
  });

  it.each([
    [['Content-Length', 'abc']],
    [
      ['Content-Length', '1'],
      ['Content-Length', '2'],
    ],
    [
      ['Content-Length', '4'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [['Transfer-Encoding', 'x, chunked, x']],
    [['Bad Name', 'x']],
    [['X-Bytes', 'a\u0000b']],
  ] as const)('is rejected when ambiguous: %j %j', async (...headers) => {
    for (const target of ['/api/v1/keys', ...SELLING]) {
      const response = await send({ method: 'POST', target, headers });
      expect([target, (await readProblem(response)).code]).toEqual([target, 'request-malformed']);
    }
  });
});

it('logs no path', () => {
  for (const part of ['evil', 'latest.json', '2022-01-02', '%2e', '..']) {
    const lines = gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('"route"'));
    const routes = lines.map((line) => line.replaceAll(/"route":"[^"]*\{[^"]*"/g, ''));
    expect(routes.filter((line) => line.includes(part))).toEqual([]);
  }
});
