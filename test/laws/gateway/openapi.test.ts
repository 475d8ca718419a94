import { makeWheel } from '../../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import {
  bundlePath,
  calendarPath,
  dayPath,
  ENDPOINTS,
  FILES_PATH,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  PUBLIC_PATHS,
  summaryPath,
  volumePath,
} from '../../../schemas/paths.js';
import { VOLUME_FORMATS } from '../../../schemas/catalog.js';
import { createFakeBilling, FAKE_SIGNATURE } from '../../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../../support/stripe/billing.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { collectValues, publishCollection } from '../../support/release/publish-collection.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { openSmallRelease } from '../../support/release/small-release.js';
import { putTrustFiles } from '../../support/release/trust-files.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { startDashboardServer, type DashboardServer } from '../../support/gateway/dashboard.js';
import {
  headersOf,
  judgeAnswer,
  OPERATIONS,
  operationOf,
  PATHS,
  resolve,
  templateOf,
  type Judged,
} from '../../support/gateway/openapi-judge.js';
import { sendRaw } from '../../support/gateway/raw-http.js';

/** Time limit of nearly two thousand requests. */
const SLOW_MS = 300_000;
const NOW = Date.parse('2026-08-20T12:00:00Z');
const billing = createFakeBilling({ now: () => NOW, prices: PRICES });
const LATEST = bundlePath('gold', 'base', 'latest');
const DAY = dayPath('gold', 'base', '2022-01-02');
const JSON_BODY = { 'Content-Type': 'application/json' };
let server: DashboardServer;
let key: Record<string, string>;
let single: Record<string, string>;
let session: Record<string, string>;
let link: string;
/** Operations that succeeded at least once, as named in OpenAPI. */
const answered = new Set<string>();
/** Headers of the responses so far, by operation and status. */
const seen = new Map<string, Set<string>>();

beforeAll(async () => {
  const store = await openSmallRelease();
  await putTrustFiles(store, NOW);
  server = await startDashboardServer(() => NOW, { store, billing, configuration: { billing: BILLING } });
  key = { 'X-API-Key': await server.gateway.createKey({ plan: 'research' }) };
  single = { 'X-API-Key': await server.gateway.createKey({ plan: 'single-chain', chain: 'base' }) };
  session = { Authorization: (await server.openSession()).authorization };
  const { headers } = await server.gateway.request(LATEST, { headers: key });
  const { pathname, search } = new URL(headers.get('location') ?? '');
  link = pathname + search;
});
afterAll(() => server.dispose());

/** Sends a request, and expects that the response matches OpenAPI. */
async function send(
  method: string,
  path: string,
  init: RequestInit = {},
  { request }: Pick<GatewayServer, 'request'> = server.gateway,
): Promise<Judged> {
  const response = await request(path, { ...init, method });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expect([method, path, judgeAnswer(method, path, answer)]).toEqual([method, path, []]);
  note(`${method} ${templateOf(path.replace(/\?.*/, '')) ?? ''}`, answer);
  return answer;
}

function note(operation: string, answer: Judged): void {
  if (answer.status < 400) answered.add(operation);
  const place = `${operation} ${answer.status}`;
  seen.set(place, new Set([...(seen.get(place) ?? []), ...headersOf(answer)]));
}

/** Example values of the parameters of paths. */
const EXAMPLES: Readonly<Record<string, string>> = {
  chain: 'base',
  genre: 'gold',
  window: '7d',
  date: '2022-01-02',
  code: 'gone',
  name: 'with_pandas.py',
  wheel: makeWheel((await readProductTexts()).python).name,
  period: '2022-01',
  year: '2021',
};
const pathOf = (template: string): string =>
  template === '/_objects/{digest}'
    ? link
    : template.replace(/\{(\w+)\}/g, (_all, name: string) => EXAMPLES[name] ?? '');

it.each(PATHS)('%s has exactly the methods in OpenAPI', async (template) => {
  const { headers } = await server.gateway.request(pathOf(template), { method: 'OPTIONS' });
  const described = OPERATIONS.filter((each) => each.endsWith(` ${template}`)).map(
    (each) => each.split(' ')[0] ?? '',
  );
  expect((headers.get('allow') ?? '').split(', ').sort()).toEqual([...described, 'OPTIONS'].sort());
});

it(
  'responses of every readable path match OpenAPI, for every caller',
  async () => {
    const reads = PATHS.filter((each) => OPERATIONS.includes(`GET ${each}`));
    for (const template of reads) {
      for (const method of ['GET', 'HEAD']) {
        for (const headers of [single, session, { ...key, ...session }, { 'X-API-Key': 'wrong' }])
          await send(method, pathOf(template), { headers });
        for (const headers of [{}, key]) {
          const { headers: got } = await send(method, pathOf(template), { headers });
          await send(method, pathOf(template), {
            headers: { ...headers, 'If-None-Match': got.get('etag') ?? '"none"' },
          });
          await send(method, pathOf(template), { headers: { ...headers, Range: 'bytes=0-9' } });
          await send(method, pathOf(template), { headers: { ...headers, Range: 'bytes=99999999-' } });
          const separator = pathOf(template).includes('?') ? '&' : '?';
          await send(method, `${pathOf(template)}${separator}redirect=false`, { headers });
          await send(method, `${pathOf(template)}${separator}no=such`, { headers });
        }
      }
    }
  },
  SLOW_MS,
);

it.each([
  [bundlePath('briefs', 'base', 'latest'), 307],
  [bundlePath('briefs', 'base', '7d'), 307],
  [manifestPath('briefs', 'base'), 307],
  [DAY.replace('/gold/base', '/briefs/chains/base'), 307],
  [dayPath('briefs', 'base', '2031-01-01'), 404],
  [`${DAY}?revision=2022-01-04.000001`, 307],
  [`${DAY}?revision=2021-01-04.000001`, 404],
  [`${DAY}?revision=x`, 400],
  [dayPath('gold', 'base', '2031-01-01'), 404],
  [manifestPath('meta', 'base'), 307],
  [bundlePath('gold', 'bitcoin', 'latest'), 404],
  [`${manifestPath('meta', 'base')}?volumes=parquet`, 200],
  [`${manifestPath('briefs', 'base')}?volumes=parquet`, 400],
  [`${FILES_PATH}/gold/base/7d/latest.json?redirect=maybe`, 400],
])('%s returns %d as in OpenAPI', async (path, status) => {
  expect((await send('GET', path, { headers: key })).status).toBe(status);
});

it(
  'responses about the lineage of a collected chain match OpenAPI',
  async () => {
    const [store, collection] = [createMemoryStore(), createMemoryStore()];
    await collectValues(collection, [{ date: '2025-01-01', txCount: 5 }]);
    await publishCollection(store, collection, '2025-01-11');
    const gateway = await startGateway({ store });
    const headers = { 'X-API-Key': await gateway.createKey({ plan: 'research' }) };
    for (const path of [lineagePath('base', '2025-01-01'), lineageManifestPath('base')]) {
      expect((await send('GET', path, { headers }, gateway)).status).toBe(307);
      expect((await send('HEAD', path, { headers }, gateway)).status).toBe(307);
    }
    await gateway.stop();
  },
  SLOW_MS,
);

it('responses about a volume match OpenAPI, and only the plan Research includes it', async () => {
  const store = createMemoryStore();
  const inputs = [randomSeries({ chain: 'base', seed: 7, days: 40 })];
  await publishSeries(store, { inputs, asOf: '2022-02-10' });
  const gateway = await startGateway({ store });
  const research = { 'X-API-Key': await gateway.createKey({ plan: 'research' }) };
  const one = { 'X-API-Key': await gateway.createKey({ plan: 'single-chain', chain: 'base' }) };
  const paths = VOLUME_FORMATS.map((format) => volumePath('gold', 'base', '2022-01', format));
  const types = [];
  for (const path of paths) {
    expect((await send('GET', path, { headers: research }, gateway)).status).toBe(307);
    const head = await send('HEAD', path, { headers: research }, gateway);
    const file = await fetch(head.headers.get('location') ?? '', { method: 'HEAD' });
    types.push(file.headers.get('content-type'));
    const refused = await send('GET', path, { headers: one }, gateway);
    expect(JSON.parse(refused.text)).toMatchObject({
      status: 403,
      code: 'not-entitled',
      detail: 'The account has Single Chain for base. This file is part of Research.',
    });
  }
  expect(types).toEqual(['application/vnd.apache.parquet', 'text/csv; charset=utf-8']);
  for (const [i, format] of VOLUME_FORMATS.entries()) {
    const list = `${manifestPath('gold', 'base')}?volumes=${format}`;
    const { text } = await send('GET', list, { headers: research }, gateway);
    const { volumes } = JSON.parse(text) as { volumes: readonly Record<string, string>[] };
    expect(volumes.map((each) => each['path'])).toEqual([paths[i]]);
    const bytes = Buffer.from(await (await fetch(volumes[0]?.['url'] ?? '')).arrayBuffer());
    expect(volumes[0]).toMatchObject({ sha256: sha256Hex(bytes), bytes: bytes.length });
    expect((await send('GET', list, { headers: one }, gateway)).status).toBe(403);
  }
  const open = volumePath('gold', 'base', '2022-02', 'parquet');
  expect((await send('GET', open, { headers: research }, gateway)).status).toBe(404);
  await gateway.stop();
});

it('responses of keys, checkout, portal and webhook match OpenAPI', async () => {
  const fresh = { Authorization: (await server.openSession({ granted: false })).authorization };
  const post = (path: string, headers: object, body: object | string, method = 'POST'): Promise<Judged> =>
    send(method, path, {
      headers: { ...JSON_BODY, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const created = await post('/api/v1/keys', session, { label: 'mine' });
  const { id } = JSON.parse(created.text) as { id: string };
  await send('GET', '/api/v1/keys', { headers: session });
  expect((await post('/api/v1/keys', session, { id }, 'DELETE')).status).toBe(200);
  expect((await post('/api/v1/keys', session, { id: 'unknown1' }, 'DELETE')).status).toBe(404);
  for (const path of ['/api/v1/keys', '/api/v1/checkout', '/api/v1/checkout/portal']) {
    for (const body of ['{', '[]', { no: 1 }, 'x'.repeat(70_000)]) await post(path, session, body);
    await post(path, {}, {});
    await send('POST', path, { headers: { ...session, 'Content-Type': 'text/plain' }, body: 'x' });
  }
  expect((await post('/api/v1/keys', fresh, {})).status).toBe(403);
  const opened = await post('/api/v1/checkout', fresh, { plan: 'research' });
  billing.complete((JSON.parse(opened.text) as { session_id: string }).session_id);
  expect((await post('/api/v1/checkout', fresh, { plan: 'research' })).status).toBe(409);
  expect((await post('/api/v1/checkout/portal', fresh, {})).status).toBe(201);
  const event = Buffer.from(billing.toBody(billing.events[0] as never)).toString();
  expect((await post('/api/v1/stripe/webhook', { 'Stripe-Signature': FAKE_SIGNATURE }, event)).status).toBe(
    200,
  );
  expect((await post('/api/v1/stripe/webhook', { 'Stripe-Signature': 'none' }, event)).status).toBe(400);
  for (let more = 0; more < 6; more += 1) await post('/api/v1/keys', session, {}); // an account has five keys at most
  await send('GET', '/api/v1/entitlements', { headers: fresh });
});

it('responses about the account of an owner match OpenAPI', async () => {
  const { authorization: Authorization } = await server.openSession({ granted: false });
  const remove = (body: object): Promise<Judged> =>
    send('DELETE', ENDPOINTS.account, {
      headers: { ...JSON_BODY, Authorization },
      body: JSON.stringify(body),
    });
  expect((await send('GET', ENDPOINTS.account, { headers: { Authorization } })).status).toBe(200);
  expect((await remove({})).status).toBe(400);
  expect((await remove({ confirm: 'delete' })).status).toBe(200);
});

it('every operation in OpenAPI succeeded at least once', () => {
  const unseen = OPERATIONS.filter((each) => !answered.has(each));
  expect(unseen).toEqual([]);
});

it('every header in OpenAPI was seen, except those of unexpected errors', () => {
  const unseen = [...seen].flatMap(([place, headers]) => {
    const [method, path, status = ''] = place.split(' ');
    const described = resolve(operationOf(`${method} ${path}`)['responses']?.[status])['headers'] ?? {};
    const lacking = Object.keys(described).filter((name) => !headers.has(name.toLowerCase()));
    return lacking.map((name) => `${place}: ${name}`);
  });
  expect(unseen).toEqual([]);
});

it('invalid HTTP gets a problem as in OpenAPI', async () => {
  const response = await sendRaw(server.gateway.url, {
    target: LATEST,
    headers: [['If-None-Match', '\u0014']],
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expect([answer.status, judgeAnswer('GET', LATEST, answer)]).toEqual([400, []]);
  expect([answer.headers.has('x-request-id'), JSON.parse(answer.text)]).toMatchObject([
    false,
    { instance: '' },
  ]);
});

it('the gateway serves the generated OpenAPI document', async () => {
  const { text } = await send('GET', PUBLIC_PATHS.openapi);
  expect(Object.keys((JSON.parse(text) as { paths: object }).paths).sort()).toEqual([...PATHS].sort());
  // A template matches no unknown chain, so the tests above notice a wrong path.
  expect([templateOf(calendarPath('base')), templateOf(summaryPath('dogecoin' as never))]).toEqual([
    '/api/v1/analyst-kit/{chain}/regime-calendar',
    undefined,
  ]);
});
