import { createMemoryStore } from '../support/stores/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { bundlePath, FILES_PATH, isPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { sendRaw } from '../support/gateway/raw-http.js';
import { readCurrent } from '../support/release/read-release.js';
import { openSmallRelease } from '../support/release/small-release.js';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const BUNDLE = bundlePath('gold', 'base', '7d');
let store: ObjectStore;
let record: ReleaseRecord;
let gateway: GatewayServer;
let limited: GatewayServer;
let empty: GatewayServer;

beforeAll(async () => {
  store = await openSmallRelease();
  record = await readCurrent(store);
  gateway = await startGateway({ store });
  limited = await startGateway({
    store,
    configuration: { limits: { keyPerMinute: 1, addressPerMinute: 1 } },
  });
  empty = await startGateway({ store: createMemoryStore() });
});
afterAll(() => Promise.all([gateway, limited, empty].map((each) => each.stop())));

const open = (path: string, init: RequestInit = {}): Promise<Response> =>
  gateway.request(path, { headers: BROWSER, ...init });

/** Asserts that a response is the page of a problem, with everything that all of them have in common, and returns it. */
async function readErrorPage(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none';style-src 'self';img-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
  expect(response.headers.get('vary')?.split(', ')).toContain('Accept');
  const html = await response.text();
  expect(html).toContain(`<code>${response.headers.get('x-request-id') ?? ''}</code>`);
  return html;
}

it('sends a browser a page for an unknown path, and any other client the document', async () => {
  const html = await readErrorPage(await open('/doc'), 404);
  expect(html).toContain('<a href="/docs">/docs</a>');
  for (const accept of ['*/*', 'application/json', 'text/html;q=0', 'nonsense']) {
    const response = await gateway.request('/doc', { headers: { Accept: accept } });
    expect(response.headers.get('vary')).toContain('Accept');
    expect((await readProblem(response)).code).toBe('not-found');
  }
});

it('sends both forms with the same headers, apart from those of the body', async () => {
  const own = [
    'content-type',
    'content-length',
    'content-security-policy',
    'x-request-id',
    'date',
    'ratelimit',
  ];
  const headersOf = ({ headers }: Response): string[][] =>
    [...headers].filter(([name]) => !own.includes(name));
  for (const [path, init] of [
    ['/doc', {}],
    [BUNDLE, {}],
    [PUBLIC_PATHS.status, { method: 'POST' }],
    [`${PUBLIC_PATHS.status}?x`, {}],
    ['/api/v1/keys', {}],
    ['/_objects/x', {}],
  ] as const) {
    const [page, document] = [await open(path, init), await gateway.request(path, init)];
    expect([path, page.status, headersOf(page)]).toEqual([path, document.status, headersOf(document)]);
    await readErrorPage(page, document.status);
    await readProblem(document);
  }
});

it('answers HEAD without a body', async () => {
  const [head, get] = [await open('/doc', { method: 'HEAD' }), await open('/doc')];
  expect([head.status, await head.text()]).toEqual([404, '']);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
});

it('explains a browser how to download a subscriber file', async () => {
  const html = await readErrorPage(await open(BUNDLE), 401);
  expect(html).toContain(`${gateway.url}${BUNDLE}&#x27;`);
  expect(html).toContain('<a class="button" href="/account">');
  const program = { headers: { ...BROWSER, 'X-API-Key': 'crd_test_wrong' } }; // some libraries ask for HTML first
  expect((await readProblem(await open(BUNDLE, program))).code).toBe('api-key-invalid');
});

it('lists the possible values of a part of a path', async () => {
  const html = await readErrorPage(await open('/api/v1/files/gold/dogecoin/latest.json'), 404);
  for (const chain of ['bitcoin', 'ethereum', 'arbitrum', 'base'])
    expect(html).toContain(`<a href="/api/v1/files/gold/${chain}/latest.json">${chain}</a>`);
  const { detail } = await readProblem(await gateway.request('/api/v1/summary/dogecoin'));
  expect(detail).toBe('Unknown chain. Use bitcoin, ethereum, arbitrum or base.');
});

it('escapes what it shows of a request', async () => {
  const target = '/"><img src=x onerror=alert(1)>';
  for (const sent of [target, encodeURI(target), `/${'<'.repeat(9_000)}`]) {
    const response = await sendRaw(gateway.url, {
      target: sent.replaceAll(' ', '%20'),
      headers: Object.entries(BROWSER),
    });
    const html = await response.text();
    expect(html).not.toMatch(/<img|onerror=alert\(1\)>/);
    expect(html.length).toBeLessThan(5_000);
  }
});

it('sends the style of the page also before a release and beyond the limit', async () => {
  await limited.request(PAGE_PATHS.docs);
  const beyond = await readErrorPage(await limited.request(PAGE_PATHS.docs, { headers: BROWSER }), 429);
  expect(beyond).toContain('<a class="button" href="">Try again</a>');
  const early = await readErrorPage(await empty.request('/', { headers: BROWSER }), 503);
  for (const [server, html] of [
    [limited, beyond],
    [empty, early],
  ] as const) {
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
    for (let round = 0; round < 3; round += 1) expect((await server.request(style)).status).toBe(200);
  }
});

it("sends documents only on the operator's port, which programs watch", async () => {
  const response = await fetch(`${gateway.operatorUrl}/nothing`, { headers: BROWSER });
  expect(await readProblemCode(response)).toBe('not-found');
});

describe('another address of a page', () => {
  it('redirects to the page, for a short time, without the query', async () => {
    const pages = Object.keys(record.public).filter((path) => isPagePath(path) && path !== PAGE_PATHS.front);
    for (const page of [...pages, '/account']) {
      for (const address of [
        `${page}/`,
        `${page}//`,
        `${page}.html`,
        `${page}/index.html`,
        `${page}/?utm_source=x`,
      ]) {
        const response = await gateway.request(address);
        expect([address, response.status, response.headers.get('location')]).toEqual([address, 308, page]);
        expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      }
    }
    expect((await open('/index.html', { method: 'HEAD' })).headers.get('location')).toBe('/');
  });

  it('is no redirect to another host', async () => {
    const { host } = new URL(gateway.url);
    for (const target of [
      '//evil.example',
      '//evil.example/',
      '//evil.example/docs/',
      '//docs/',
      '/\\evil.example/',
      '/%2fevil.example/',
      '/docs/..//evil.example/',
    ]) {
      const response = await sendRaw(gateway.url, { target });
      expect([target, response.headers.get('location')]).toEqual([target, null]);
    }
    const response = await sendRaw(gateway.url, { target: 'http://evil.example//', host });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/']);
  });

  it('is a 404 for paths that are no pages', async () => {
    for (const path of [
      PUBLIC_PATHS.status,
      BUNDLE,
      FILES_PATH,
      PAGE_PATHS.icon,
      PAGE_PATHS.feed,
      '/healthz',
    ])
      expect([path, await readProblemCode(await gateway.request(`${path}/`))]).toEqual([path, 'not-found']);
  });

  it('accepts only GET and HEAD', async () => {
    expect(await readProblemCode(await gateway.request('/docs/', { method: 'POST' }))).toBe(
      'method-not-allowed',
    );
  });
});

it.each(['?utm_source=x&utm_medium=y', '?ref=a', '?fbclid=1', '?gclid=1', '?', '?%00', '?x=%ff'])(
  'sends a page for %s, and refuses it elsewhere',
  async (query) => {
    for (const page of [PAGE_PATHS.front, PAGE_PATHS.docs, '/chains/base', '/problems/gone']) {
      const [plain, shared] = [await open(page), await open(page + query)];
      expect([shared.status, await shared.text()]).toEqual([200, await plain.text()]);
    }
    if (query !== '?')
      expect(await readProblemCode(await gateway.request(PUBLIC_PATHS.status + query))).toBe(
        'request-malformed',
      );
  },
);
