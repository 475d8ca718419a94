import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundlePath, calendarPath, chartPath, dayPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { findBundle, synthesize } from '../fixtures/aws-synth.js';
import { startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import {
  readEvent,
  startLambda,
  type LambdaAnswer,
  type LambdaProcess,
  type LambdaRequest,
} from '../fixtures/lambda-process.js';
import { publish } from '../fixtures/published-store.js';
import { prepareServedRelease, type ServedRelease } from '../fixtures/served-release.js';
import { writeSmallInput } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 180_000;
const MOST_BYTES = 2_000_000;
const ORIGIN = 'the-secret-of-the-distribution';

let folder: TemporaryFolder;
let bundle: string;
let release: ServedRelease;
let provider: IdentityProvider;
/** Variables of both. */
let shared: Readonly<Record<string, string>>;
let session: Readonly<Record<string, string>>;
let gateway: GatewayProcess;
let lambda: LambdaProcess;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const out = path.join(folder.path, 'cdk.out');
  const made = await synthesize(out);
  expect(made).toMatchObject({ code: 0 });
  bundle = await findBundle(out);
  release = await prepareServedRelease({
    store: `file:${path.join(folder.path, 'store')}`,
    accounts: `file:${path.join(folder.path, 'accounts')}`,
    folder: path.join(folder.path, 'input'),
  });
  provider = await startIdentityProvider(() => Date.now());
  const jwks = path.join(folder.path, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await provider.jwks()));
  shared = {
    ...release.env,
    ...SELLING,
    CRD_PUBLIC_BASE_URL: 'https://data.example.com',
    CRD_JWKS: `file:${jwks}`,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
  };
  const token = await provider.sign({ account: 'a-reader' });
  session = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  gateway = await startGatewayProcess(shared);
  lambda = await start();
}, SLOW_MS);
afterAll(async () => {
  await lambda.stop();
  await gateway.stop();
  await provider.dispose();
  await folder.dispose();
}, SLOW_MS);

const SELLING = {
  CRD_STRIPE_SECRET_KEY: 'sk_test_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('hex')}`,
  CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_single',
  CRD_STRIPE_PRICE_RESEARCH: 'price_research',
  CRD_DASHBOARD_URL: 'https://dashboard.example.com',
};

function start(changed: Readonly<Record<string, string>> = {}): Promise<LambdaProcess> {
  return startLambda(bundle, { ...shared, CRD_TRUST_PROXY: '2', ...changed });
}

/** What differs between two answers to one request, whoever gives them. */
const OWN = [
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
  'content-length',
  'x-url-expires-in',
];

async function askByHttp({
  method = 'GET',
  path: file,
  query = '',
  headers = {},
  body,
}: LambdaRequest): Promise<LambdaAnswer> {
  const response = await fetch(`${gateway.url}${file}${query === '' ? '' : `?${query}`}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** An answer without what no two have in common. */
function comparable({ status, headers, body }: LambdaAnswer): object {
  const kept = Object.entries(headers).filter(
    ([name]) => !OWN.includes(name.toLowerCase()) && !name.startsWith('ratelimit'),
  );
  const told = Object.fromEntries(
    kept.map(([name, value]) => [name.toLowerCase(), value.replace(/\?.*/, '')]),
  );
  return {
    status,
    headers: told,
    body: body.replace(/"instance":"[^"]*"/, '"instance":""').replace(/\?[^"]*"/g, '"'),
  };
}

const keyed = (): Record<string, string> => ({ 'x-api-key': release.key });
const REQUESTS: readonly (readonly [name: string, request: () => LambdaRequest])[] = [
  ['a public file', () => ({ path: PUBLIC_PATHS.status })],
  ['a page', () => ({ path: '/' })],
  ['a calendar', () => ({ path: calendarPath('base') })],
  ['a chart, which no text is', () => ({ path: chartPath('base') })],
  ['a file without a key', () => ({ path: bundlePath('gold', 'base', '7d') })],
  [
    'a file with a wrong key',
    () => ({ path: bundlePath('gold', 'base', '7d'), headers: { 'x-api-key': 'crd_test_x' } }),
  ],
  [
    'a file with two keys',
    () => ({
      path: bundlePath('gold', 'base', '7d'),
      headers: { 'x-api-key': `${release.key},${release.key}` },
    }),
  ],
  ['a file, by a redirect', () => ({ path: bundlePath('gold', 'base', '7d'), headers: keyed() })],
  [
    'a file, by a link in JSON',
    () => ({ path: bundlePath('gold', 'base', '7d'), query: 'redirect=false', headers: keyed() }),
  ],
  ['a day of the archive', () => ({ path: dayPath('meta', 'base', '2025-01-09'), headers: keyed() })],
  ['a day that is not there', () => ({ path: dayPath('meta', 'base', '2001-01-09'), headers: keyed() })],
  [
    'the head of a file',
    () => ({ method: 'HEAD', path: bundlePath('gold', 'base', '7d'), headers: keyed() }),
  ],
  ['a key in the query', () => ({ path: bundlePath('gold', 'base', '7d'), query: 'api_key=crd_test_x' })],
  ['what a key may', () => ({ path: '/api/v1/entitlements', headers: keyed() })],
  ['keys without a session', () => ({ path: '/api/v1/keys' })],
  [
    'a checkout without a session',
    () => ({
      method: 'POST',
      path: '/api/v1/checkout',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
  ],
  [
    'a key with a label that is none',
    () => ({ method: 'POST', path: '/api/v1/keys', headers: session, body: '{"label":""}' }),
  ],
  [
    'a checkout of a plan that is none',
    () => ({ method: 'POST', path: '/api/v1/checkout', headers: session, body: '{"plan":"gold"}' }),
  ],
  [
    'a body that is no JSON',
    () => ({ method: 'POST', path: '/api/v1/keys', headers: session, body: '{"label":' }),
  ],
  [
    'a body of a session that is too large',
    () => ({ method: 'POST', path: '/api/v1/keys', headers: session, body: `"${'x'.repeat(70_000)}"` }),
  ],
  [
    'an event with a wrong signature',
    () => ({
      method: 'POST',
      path: '/api/v1/stripe/webhook',
      headers: { 'stripe-signature': 't=1,v1=00' },
      body: '{"é":1}',
    }),
  ],
  [
    'a body that is too large',
    () => ({
      method: 'POST',
      path: '/api/v1/stripe/webhook',
      headers: { 'stripe-signature': 't=1,v1=00' },
      body: 'x'.repeat(70_000),
    }),
  ],
  [
    'a preflight',
    () => ({
      method: 'OPTIONS',
      path: PUBLIC_PATHS.status,
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    }),
  ],
  ['a method that is none', () => ({ method: 'DELETE', path: PUBLIC_PATHS.status })],
  ['nothing that is there', () => ({ path: '/api/v1/nothing' })],
  ['readiness', () => ({ path: '/readyz' })],
];

describe('the bundle, asked by an event of an HTTP API, answers as the server does for', () => {
  it.each(REQUESTS)('%s', async (_name, toRequest) => {
    const request = toRequest();
    expect(comparable(await lambda.ask(request))).toEqual(comparable(await askByHttp(request)));
  });
});

it('every form of a body is answered as the server answers it, whoever asks', async () => {
  const nobody = { authorization: `Bearer ${await provider.sign({ account: 'nobody' })}` };
  const paths = [
    '/api/v1/keys',
    '/api/v1/checkout',
    '/api/v1/checkout/portal',
    '/api/v1/stripe/webhook',
    '/',
  ];
  const bodies = [
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
  const types = ['application/json', 'application/json; charset=utf-16', 'text/plain', ''];
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const file of paths) {
      for (const body of bodies) {
        for (const type of types) {
          const headers = { ...nobody, 'stripe-signature': 't=1,v1=00', 'content-type': type };
          const request = { method, path: file, headers, body };
          const [answer, told] = [await lambda.ask(request), await askByHttp(request)];
          expect({ request, ...comparable(answer) }).toEqual({ request, ...comparable(told) });
        }
      }
    }
  }
});

it.each(['/', '/docs', '/chains/base'])(
  'answers for the copy of the page %s, when the bucket lacks it',
  async (page) => {
    const copy = await lambda.ask({ path: `${page === '/' ? '' : page}/index.html` });
    expect(copy.status).toBe(200);
    expect(comparable(copy)).toEqual(comparable(await askByHttp({ path: page })));
  },
);

it('a link that it gives leads to the bytes that it names', async () => {
  const { headers } = await lambda.ask({ path: bundlePath('gold', 'base', '7d'), headers: keyed() });
  const location = new URL(headers['location'] ?? '');
  const response = await fetch(gateway.url + location.pathname + location.search);
  expect(response.status).toBe(200);
  expect(`"sha256:${headers['x-content-sha256'] ?? ''}"`).toBe(headers['etag']);
});

it('answers an event of CloudFront in the form of CloudFront', async () => {
  const event = await readEvent('cloudfront.json');
  const answer = await lambda.invoke(event);
  expect(answer).toMatchObject({ status: 401, body: expect.stringContaining('"code":"api-key-missing"') });
  const { headers } = answer as { headers: Record<string, { key: string; value: string }[]> };
  expect(headers['content-type']?.[0]?.value).toBe('application/problem+json');
});

it('reads the body of an event of CloudFront, after it is known who asks', async () => {
  const { Records } = (await readEvent('cloudfront.json')) as unknown as {
    Records: [{ cf: { request: { headers: object } } }];
  };
  const [{ cf }] = Records;
  const body = Buffer.from('{"l\u00e4bel":1}').toString('base64');
  const authorization = [{ key: 'Authorization', value: session['authorization'] }];
  const posted = {
    ...cf.request,
    method: 'POST',
    uri: '/api/v1/keys',
    headers: {
      ...cf.request.headers,
      authorization,
      'content-type': [{ key: 'Content-Type', value: 'application/json' }],
    },
    body: { action: 'read-only', data: body, encoding: 'base64', inputTruncated: false },
  };
  const answer = await lambda.invoke({ Records: [{ cf: { ...cf, request: posted } }] });
  expect(answer).toMatchObject({
    status: 400,
    body: expect.stringContaining('the body may have label and no more'),
  });
  const good = { ...posted.body, data: Buffer.from('{"label":"\u00e4"}').toString('base64') };
  const made = await lambda.invoke({
    Records: [{ cf: { ...cf, request: { ...posted, body: good } } }],
  });
  expect(made).toMatchObject({ status: 201, body: expect.stringContaining('"label":"ä"') });
});

it('logs every request once, with neither query nor key, before it has answered', async () => {
  const before = lambda.log().length;
  await lambda.ask({ path: bundlePath('gold', 'base', '7d'), query: 'redirect=false', headers: keyed() });
  const lines = lambda.log().slice(before);
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ method: 'GET', status: 200, route: expect.stringContaining('/api/v1/files/') }),
  ]);
  expect(lines.join()).not.toContain(release.key);
  expect(lines.join()).not.toContain('redirect=false');
});

describe('with secrets of the origin', () => {
  let guarded: LambdaProcess;
  beforeAll(async () => {
    guarded = await start({ ORIGIN_SECRET: `${ORIGIN},the-one-before` });
  }, SLOW_MS);
  afterAll(() => guarded.stop());

  it.each([
    ['none', {}],
    ['another', { 'x-origin-secret': `${ORIGIN}x` }],
    ['both', { 'x-origin-secret': `${ORIGIN},the-one-before` }],
  ])('refuses who says %s, before the gateway is asked', async (_name, headers) => {
    const before = guarded.log().length;
    const answer = await guarded.ask({ path: PUBLIC_PATHS.status, headers });
    expect(answer).toMatchObject({ status: 403, body: '', headers: { 'cache-control': 'no-store' } });
    expect(guarded.log().length).toBe(before);
  });

  it.each([ORIGIN, 'the-one-before'])('lets %s in, and tells it to nobody', async (secret) => {
    const answer = await guarded.ask({ path: PUBLIC_PATHS.status, headers: { 'x-origin-secret': secret } });
    expect(answer.status).toBe(200);
    expect(guarded.log().join()).not.toContain(secret);
  });
});

it(
  'that was frozen answers with what is published meanwhile, at the first event',
  async () => {
    const sleepy = await start({ CRD_POLL_SECONDS: '2' });
    const sequenceOf = async (): Promise<unknown> => {
      const { body } = await sleepy.ask({ path: PUBLIC_PATHS.release });
      return (JSON.parse(body) as { published_revision: string }).published_revision;
    };
    const first = await sequenceOf();
    sleepy.freeze();
    const input = await writeSmallInput(path.join(folder.path, 'next'), { days: { base: 121 } });
    const { code, stderr } = await publish(input, path.join(folder.path, 'store'), '2025-05-03T00:00:00Z');
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    sleepy.thaw();
    expect(await sequenceOf()).not.toBe(first);
    await sleepy.stop();
  },
  SLOW_MS,
);

it('does not start with a faulty configuration, and says every fault', async () => {
  const wrong = start({ CRD_KEY_MODE: 'Live', CRD_POLL_SECONDS: '0' });
  await expect(wrong).rejects.toThrow(/CRD_POLL_SECONDS: expected .*CRD_KEY_MODE: expected /s);
});

describe('the bundle', () => {
  const read = async (): Promise<ReadonlyMap<string, string>> => {
    const root = path.dirname(bundle);
    const names = await readdir(root);
    return new Map(
      await Promise.all(
        names.map(async (name) => [name, await readFile(path.join(root, name), 'utf8')] as const),
      ),
    );
  };

  it(`is under ${MOST_BYTES / 1e6} MB, and has no version 2 of the AWS SDK`, async () => {
    const files = await read();
    expect([...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(
      MOST_BYTES,
    );
    for (const text of files.values()) expect(text).not.toMatch(/aws-sdk-nodejs|AWS\.util\.|aws-sdk\/global/);
  });

  it('loads Stripe when it is first needed, not when it starts', async () => {
    const files = await read();
    const atStart = new Set<string>();
    const follow = (name: string): void => {
      if (atStart.has(name)) return;
      atStart.add(name);
      const imports = (files.get(name) ?? '').matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g);
      for (const [, next = ''] of imports) follow(next);
    };
    follow('handler.mjs');
    const isStripe = (name: string): boolean => files.get(name)?.includes('api.stripe.com') ?? false;
    expect([...files.keys()].filter(isStripe).length).toBe(1);
    expect([...atStart].filter(isStripe)).toEqual([]);
    expect(atStart.size).toBeGreaterThan(1);
  });
});
