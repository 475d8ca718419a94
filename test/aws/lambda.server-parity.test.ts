import {
  bundlePath,
  calendarPath,
  chartPath,
  dayPagePath,
  dayPath,
  ENDPOINTS,
  PUBLIC_PATHS,
} from '../../schemas/paths.js';
import { sha256Hex } from '../../schemas/digest.js';
import { createLambdaScene, type LambdaScene } from '../support/aws/lambda-scene.js';
import type { LambdaAnswer, LambdaProcess, LambdaRequest } from '../support/aws/lambda-process.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway/gateway-process.js';

const SLOW_MS = 300_000;
const BUNDLE = bundlePath('gold', 'base', '7d');

let scene: LambdaScene;
let gateway: GatewayProcess;
let lambda: LambdaProcess;
beforeAll(async () => {
  scene = await createLambdaScene();
  [gateway, lambda] = await Promise.all([startGatewayProcess(scene.env), scene.start()]);
}, SLOW_MS);
afterAll(async () => {
  await lambda.stop();
  await gateway.stop();
  await scene.dispose();
}, SLOW_MS);

/** Headers that differ between two responses to the same request. */
const VOLATILE = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id'];

async function sendToServer({
  method = 'GET',
  path: file,
  query = '',
  headers = {},
  body,
}: LambdaRequest): Promise<LambdaAnswer> {
  const response = await fetch(`${gateway.url}${file}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: { 'accept-encoding': 'gzip', ...headers }, // as the event of the function does
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** Removes the parts of a response that differ at every request. */
function comparable({ status, headers, body }: LambdaAnswer): object {
  const stable = Object.entries(headers).filter(
    ([name]) => !VOLATILE.includes(name.toLowerCase()) && !name.startsWith('ratelimit'),
  );
  return {
    status,
    headers: Object.fromEntries(
      stable.map(([name, value]) => [name.toLowerCase(), value.replace(/\?.*/, '')]),
    ),
    body: body.replace(/"instance":"[^"]*"/, '"instance":""').replace(/\?[^"]*"/g, '"'),
  };
}

const UNSIGNED = { 'stripe-signature': 't=1,v1=00' };
const REQUESTS: readonly (readonly [name: string, request: () => LambdaRequest])[] = [
  ['a public file', () => ({ path: PUBLIC_PATHS.status })],
  ['a page', () => ({ path: '/' })],
  ['a page, not compressed', () => ({ path: '/', headers: { 'accept-encoding': 'identity' } })],
  ['the page of a day', () => ({ path: dayPagePath('base', '2025-01-09') })],
  ['a calendar', () => ({ path: calendarPath('base') })],
  ['a chart, whose media type is not text', () => ({ path: chartPath('base') })],
  ['a file without a key', () => ({ path: BUNDLE })],
  ['a file with a wrong key', () => ({ path: BUNDLE, headers: { 'x-api-key': 'crd_test_x' } })],
  [
    'a file with two keys',
    () => ({ path: BUNDLE, headers: { 'x-api-key': `${scene.release.key},${scene.release.key}` } }),
  ],
  ['a file as a redirect', () => ({ path: BUNDLE, headers: scene.keyed })],
  ['a file as a link in JSON', () => ({ path: BUNDLE, query: 'redirect=false', headers: scene.keyed })],
  ['a day of the archive', () => ({ path: dayPath('meta', 'base', '2025-01-09'), headers: scene.keyed })],
  ['a missing day', () => ({ path: dayPath('meta', 'base', '2001-01-09'), headers: scene.keyed })],
  ['a HEAD request for a file', () => ({ method: 'HEAD', path: BUNDLE, headers: scene.keyed })],
  ['a key in the query', () => ({ path: BUNDLE, query: 'api_key=crd_test_x' })],
  ['the entitlements of a key', () => ({ path: ENDPOINTS.entitlements, headers: scene.keyed })],
  ['keys without a session', () => ({ path: ENDPOINTS.keys })],
  [
    'a checkout without a session',
    () => ({
      method: 'POST',
      path: ENDPOINTS.checkout,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
  ],
  [
    'a key with an empty label',
    () => ({ method: 'POST', path: ENDPOINTS.keys, headers: scene.session, body: '{"label":""}' }),
  ],
  [
    'a checkout of an unknown plan',
    () => ({ method: 'POST', path: ENDPOINTS.checkout, headers: scene.session, body: '{"plan":"gold"}' }),
  ],
  [
    'a body that is not JSON',
    () => ({ method: 'POST', path: ENDPOINTS.keys, headers: scene.session, body: '{"label":' }),
  ],
  [
    'a body with a session that is too large',
    () => ({
      method: 'POST',
      path: ENDPOINTS.keys,
      headers: scene.session,
      body: `"${'x'.repeat(70_000)}"`,
    }),
  ],
  [
    'an event with a wrong signature',
    () => ({ method: 'POST', path: ENDPOINTS.webhook, headers: UNSIGNED, body: '{"é":1}' }),
  ],
  [
    'an event that is too large',
    () => ({ method: 'POST', path: ENDPOINTS.webhook, headers: UNSIGNED, body: 'x'.repeat(70_000) }),
  ],
  [
    'a preflight request',
    () => ({
      method: 'OPTIONS',
      path: PUBLIC_PATHS.status,
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    }),
  ],
  ['an unsupported method', () => ({ method: 'DELETE', path: PUBLIC_PATHS.status })],
  ['an unknown path', () => ({ path: '/api/v1/nothing' })],
  ['readiness', () => ({ path: ENDPOINTS.readiness })],
];

it.each(REQUESTS)('the function and the server send the same response: %s', async (...[, createRequest]) => {
  const request = createRequest();
  expect(comparable(await lambda.send(request))).toEqual(comparable(await sendToServer(request)));
});

const METHODS = ['POST', 'PUT', 'DELETE'];
const PATHS = [ENDPOINTS.keys, ENDPOINTS.checkout, ENDPOINTS.portal, ENDPOINTS.webhook, '/'];
const BODIES = [
  '',
  '{}',
  '[]',
  'null',
  '"a"',
  '{"label":1}',
  '{"plan":"gold"}',
  '{"a":',
  '\u0000',
  'é'.repeat(40_000),
];
const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', ''];

describe.each(METHODS)('%s', (method) => {
  it.each(PATHS)('%s gets the same response from the function and the server, for any body', async (path) => {
    const unknown = { authorization: `Bearer ${await scene.provider.sign({ account: 'nobody' })}` };
    for (const body of BODIES) {
      for (const type of TYPES) {
        const headers = { ...unknown, ...UNSIGNED, 'content-type': type };
        const request = { method, path, headers, body };
        const [answer, expected] = [await lambda.send(request), await sendToServer(request)];
        expect({ request, ...comparable(answer) }).toEqual({ request, ...comparable(expected) });
      }
    }
  });
});

it.each(['/', '/docs', '/chains/base'])(
  'the function serves the page %s if the bucket lacks its copy',
  async (page) => {
    const copy = await lambda.send({ path: `${page === '/' ? '' : page}/index.html` });
    expect(copy.status).toBe(200);
    expect(comparable(copy)).toEqual(comparable(await sendToServer({ path: page })));
  },
);

it('a link from the function leads to the bytes that it names', async () => {
  const { headers } = await lambda.send({ path: BUNDLE, headers: scene.keyed });
  const location = new URL(headers['location'] ?? '');
  const response = await fetch(gateway.url + location.pathname + location.search);
  expect(response.status).toBe(200);
  expect(sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(headers['x-content-sha256']);
});
