import { makeWheel } from '../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { CHAIN_IDS, EXAMPLE_NAMES, GUIDE_NAMES, VOLUME_GENRES } from '../../schemas/catalog.js';
import { openApiDocument } from '../../schemas/openapi.js';
import {
  bundlePath,
  calendarPath,
  chainEventsPath,
  chainFeedPath,
  chainPagePath,
  chartDataPath,
  chartMetricsPath,
  embedPath,
  metricsPagePath,
  chartPath,
  dayPath,
  examplePath,
  exampleViewPath,
  guidePath,
  manifestPath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  operationPath,
  queryPath,
  PAGE_PATHS,
  problemPath,
  PUBLIC_PATHS,
  regimeEventsPath,
  regimesPath,
  summaryPath,
  TRUST_PATHS,
  volumeSchemaPath,
  weeklyArchivePath,
  weeklySummaryPath,
  wheelPath,
} from '../../schemas/paths.js';
import { PROBLEMS, type ProblemCode } from '../../schemas/problems.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblem } from '../support/gateway/http-answers.js';
import { readCurrent } from '../support/release/read-release.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { sendRaw } from '../support/gateway/raw-http.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const FILES = [
  BUNDLE,
  bundlePath('meta', 'base', 'latest'),
  manifestPath('derived', 'base'),
  dayPath('gold', 'base', '2022-01-02'),
];
const { python, site } = await readProductTexts();
const PUBLIC = [
  ...Object.values(PUBLIC_PATHS),
  summaryPath('base'),
  calendarPath('base'),
  weeklySummaryPath('base'),
  regimesPath('base'),
  weeklyArchivePath('base', '2021'),
  chartPath('base'),
  chartDataPath('base'),
  chartMetricsPath('base'),
  methodologyDataPath('v1'),
  methodologyTextPath('v1'),
  ...CHAIN_IDS.map(queryPath),
  ...VOLUME_GENRES.flatMap((genre) => CHAIN_IDS.map((chain) => volumeSchemaPath(genre, chain))),
  ...Object.values(PAGE_PATHS),
  chainPagePath('base'),
  chainEventsPath('base'),
  chainFeedPath('base'),
  regimeEventsPath('base'),
  metricsPagePath('base'),
  ...CHAIN_IDS.map(embedPath),
  methodologyPagePath('v1'),
  ...EXAMPLE_NAMES.flatMap((name) => [examplePath(name), exampleViewPath(name)]),
  ...GUIDE_NAMES.map(guidePath),
  wheelPath(makeWheel(python).name),
  ...[site.stylesheet, site.script, site.metricsScript, site.searchScript, site.verifyScript].map(
    (asset) => asset.path,
  ),
];
const PROBLEM_PAGES = (Object.keys(PROBLEMS) as ProblemCode[]).map(problemPath); // keys of a closed literal
const OPERATION_PAGES = Object.values(openApiDocument()['paths'] as Record<string, Record<string, object>>)
  .flatMap(({ head: _head, ...operations }) => Object.values(operations))
  .map((operation) => operationPath((operation as { operationId: string }).operationId));
const READ_METHODS = 'GET, HEAD, OPTIONS';
/** Routes with the methods that they allow; lineages have the handler of the other files. `{link}` stands for a link to an object. */
const ROUTES: readonly (readonly [path: string, allow: string])[] = [
  ...[
    ...FILES,
    ...PUBLIC,
    ...Object.values(TRUST_PATHS),
    '{link}',
    '/healthz',
    '/readyz',
    '/problems/gone',
    '/api/v1/entitlements',
    operationPath('getStatus'),
  ].map((path) => [path, READ_METHODS] as const),
  ['/api/v1/keys', 'GET, HEAD, POST, DELETE, OPTIONS'],
  ...['/api/v1/checkout', '/api/v1/checkout/portal', '/api/v1/stripe/webhook'].map(
    (path) => [path, 'POST, OPTIONS'] as const,
  ),
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LOCK', 'M-SEARCH'];
const UNKNOWN = [
  '/docs/x',
  '/chains/bitcoin',
  '/methodology/v2',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/api/v1/file',
  '/api/v1/openapi',
  '/metrics',
  '/health/freshness',
  '/favicon.ico',
];

let store: ObjectStore;
let gateway: GatewayServer;
let key: string;
let link: string;

beforeAll(async () => {
  store = await openSmallRelease();
  gateway = await startGateway({ store });
  key = await gateway.createKey({ plan: 'research' });
  const { headers } = await gateway.request(FILES[0] ?? '', { headers: { 'X-API-Key': key } });
  const { pathname, search } = new URL(headers.get('location') ?? '');
  link = pathname + search;
});
afterAll(() => gateway.stop());

const send = (method: string, path: string): Promise<Response> =>
  sendRaw(gateway.url, {
    method,
    target: path === '{link}' ? link : path,
    headers: [['X-API-Key', key]],
  });

it('covers every public path of the release', async () => {
  expect([...PUBLIC, ...PROBLEM_PAGES, ...OPERATION_PAGES].sort()).toEqual(
    Object.keys((await readCurrent(store)).public).sort(),
  );
});

describe.each(ROUTES)('%s', (path, allow) => {
  it.each(METHODS.filter((method) => !allow.split(', ').includes(method)))('rejects %s', async (method) => {
    const response = await send(method, path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect((await readProblem(response)).detail).toContain(allow);
  });

  it('lists the allowed methods in the answer to OPTIONS', async () => {
    const response = await send('OPTIONS', path);
    expect([response.status, response.headers.get('allow')]).toEqual([204, allow]);
    expect(await response.text()).toBe('');
  });

  it('answers HEAD like GET, without a body', async () => {
    const [get, head] = [await send('GET', path), await send('HEAD', path)];
    expect([head.status, await head.text()]).toEqual([get.status, '']);
    expect(head.headers.has('location')).toBe(get.headers.has('location'));
    for (const name of ['etag', 'vary', 'content-type', 'content-length']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });
});

it.each(UNKNOWN)('answers 404 for %s, regardless of the method', async (path) => {
  for (const method of ['HEAD', 'OPTIONS', ...METHODS]) {
    const response = await send(method, path);
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 404, null]);
    if (method !== 'HEAD') expect((await readProblem(response)).code).toBe('not-found');
  }
});

it.each(['get', 'Get', 'FETCH', 'GET\t', 'G€T'])('rejects the method %j as malformed', async (method) => {
  const response = await send(method, PUBLIC_PATHS.status);
  expect((await readProblem(response)).code).toBe('request-malformed');
});

it.each([BUNDLE, PUBLIC_PATHS.status, '/api/v1/keys', '/nowhere', 'example.com:443'])(
  'rejects CONNECT %s before any route',
  async (target) => {
    for (const url of [gateway.url, gateway.operatorUrl]) {
      const problem = await readProblem(await sendRaw(url, { method: 'CONNECT', target }));
      expect([problem.code, problem.detail]).toEqual([
        'request-malformed',
        'CONNECT is not supported: this server is not a proxy.',
      ]);
    }
  },
);

it('answers rejected HEAD requests without a body', async () => {
  const paths = [FILES[0] ?? '', '/api/v1/keys', '/api/v1/entitlements', '/_objects/x', '/nowhere'];
  for (const target of paths) {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => sendRaw(gateway.url, { method, target })),
    );
    expect([target, head?.status, await head?.text()]).toEqual([target, get?.status, '']);
    expect(head?.headers.get('content-type')).toBe('application/problem+json');
  }
});

it('serves only health, freshness and metrics on the operator’s port', async () => {
  const asked = async (method: string, target: string): Promise<unknown> => {
    const { status, headers } = await sendRaw(gateway.operatorUrl, { method, target });
    return [status, headers.get('allow')];
  };
  for (const path of ['/healthz', '/readyz', '/metrics', '/health/freshness']) {
    const ok = path === '/health/freshness' ? 503 : 200; // the chain of the small release has no available date
    expect(await asked('GET', path)).toEqual([ok, null]);
    expect(await asked('HEAD', path)).toEqual([ok, null]);
    expect(await asked('OPTIONS', path)).toEqual([204, READ_METHODS]);
    for (const method of METHODS.filter((each) => each !== 'GET'))
      expect(await asked(method, path)).toEqual([405, READ_METHODS]);
  }
  for (const [path] of ROUTES) {
    if (!['/healthz', '/readyz', '{link}'].includes(path))
      expect(await asked('GET', path)).toEqual([404, null]);
  }
});
