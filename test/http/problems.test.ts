import { createMemoryStore } from '../support/stores/memory-store.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { bundlePath, dayPath, manifestPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { GatewayError, problemPath, PROBLEMS, type ProblemCode } from '../../gateway/core/problems.js';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { LINK_SECRET, startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readDocument, readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import { rollBack } from '../support/release/operate.js';
import { readCurrent } from '../support/release/read-release.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { interceptStore } from '../support/stores/intercept-store.js';

const KEYS = '/api/v1/keys';
const CHECKOUT = '/api/v1/checkout';
const WEBHOOK = '/api/v1/stripe/webhook';
const fake = createFakeBilling({ now: () => Date.now(), prices: PRICES });
const billing = {
  ...fake,
  createCustomer: async (account: string, key: string): Promise<string> => {
    if (faults.billing) throw new GatewayError('billing-unavailable');
    return fake.createCustomer(account, key);
  },
};
const BUNDLE = bundlePath('gold', 'base', '7d');
const CODES = Object.keys(PROBLEMS) as ProblemCode[]; // keys of a closed literal
const store = createMemoryStore();
const faults: { object: string | undefined; accounts: 'down' | 'spoilt' | undefined; billing: boolean } = {
  billing: false,
  object: undefined,
  accounts: undefined,
};
let provider: IdentityProvider;
let gateway: GatewayServer;
let limited: GatewayServer;
let empty: GatewayServer;
let research: string;
let single: string;
let lapsed: string;

/** The stores of the gateway. An object can be missing, and the accounts store can be down or corrupt. */
const stores = (): { store: ObjectStore; accountsStore: ObjectStore } => ({
  store: interceptStore(store, ({ key }, run) =>
    key === faults.object ? Promise.resolve(undefined as never) : run(),
  ),
  accountsStore: interceptStore(createMemoryStore(), (_operation, run) => {
    if (faults.accounts === 'spoilt')
      return Promise.resolve({ bytes: Buffer.from('{}'), etag: '"e"' } as never);
    if (faults.accounts !== undefined) {
      throw new StoreError('unavailable', 's3://a-bucket/accounts: no route to host');
    }
    return run();
  }),
});

beforeAll(async () => {
  const series = (days: number) => [randomSeries({ chain: 'base', seed: 7, days })];
  await publishSeries(store, { inputs: series(3), asOf: '2022-01-04' });
  await publishSeries(store, { inputs: series(4), asOf: '2022-01-05' });
  await rollBack(store, { to: '2022-01-04.000001', reason: 'that was wrong', asOf: '2022-01-06' });
  provider = await startIdentityProvider(() => Date.now());
  const { jwksUrl: url, issuer, audience } = provider;
  const sessions = { jwks: { kind: 'url', url }, issuer, audience } as const;
  gateway = await startGateway({ ...stores(), billing, configuration: { sessions, billing: BILLING } });
  limited = await startGateway({
    store,
    configuration: { limits: { keyPerMinute: 1, addressPerMinute: 1 } },
  });
  empty = await startGateway({ store: createMemoryStore() });
  research = await gateway.createKey({ account: 'research', plan: 'research' });
  single = await gateway.createKey({ plan: 'single-chain', chain: 'base' });
  lapsed = await gateway.createKey({ account: 'lapsed', plan: 'research' });
  await gateway.accounts.grant('lapsed', {
    plan: 'research',
    chain: null,
    until: '2020-01-01T00:00:00Z',
    reason: 'over',
  });
  await gateway.request(BUNDLE, withKey(research)); // cached from now on
});
afterAll(async () => {
  await Promise.all([gateway, limited, empty].map((each) => each.stop()));
  await provider.dispose();
});

afterEach(() => Object.assign(faults, { object: undefined, accounts: undefined, billing: false }));

const withKey = (key: string): RequestInit => ({ headers: { 'X-API-Key': key } });

async function asDashboard(init: RequestInit, account = 'research'): Promise<RequestInit> {
  const token = await provider.sign({ account });
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
}

const postKey = async (body: string, type = 'application/json', account = 'research'): Promise<Response> =>
  gateway.request(
    KEYS,
    await asDashboard({ method: 'POST', body, headers: { 'Content-Type': type } }, account),
  );

const checkOut = async (account: string): Promise<Response> => {
  const init = {
    method: 'POST',
    body: '{"plan":"research"}',
    headers: { 'Content-Type': 'application/json' },
  };
  return gateway.request(CHECKOUT, await asDashboard(init, account));
};

/** Requests that provoke each problem. A code without a row fails the test. */
const PROVOKED: { readonly [code in ProblemCode]: () => Promise<Response> } = {
  'webhook-signature-invalid': () => gateway.request(WEBHOOK, { method: 'POST', body: '{}' }),
  'already-subscribed': async () => {
    const { session_id: session } = await readDocument(await checkOut('buyer'));
    billing.complete(String(session));
    return checkOut('buyer');
  },
  'billing-unavailable': async () => {
    faults.billing = true;
    return checkOut('unsold');
  },
  'billing-not-configured': () => empty.request(WEBHOOK, { method: 'POST', body: '{}' }),
  'request-malformed': () => gateway.request(`${BUNDLE}?api_key=${research}`),
  'api-key-missing': () => gateway.request(BUNDLE),
  'api-key-invalid': () => gateway.request(BUNDLE, withKey(`${research}, ${research}`)),
  'session-invalid': () => gateway.request(KEYS, { headers: { Authorization: 'Bearer eyJh.eyJh.eyJh' } }),
  'not-entitled': () => gateway.request(manifestPath('gold', 'base'), withKey(single)),
  'subscription-inactive': () => gateway.request(BUNDLE, withKey(lapsed)),
  'link-invalid': () => gateway.request(`/_objects/${'0'.repeat(64)}?signature=${'0'.repeat(64)}`),
  'not-found': () => gateway.request(dayPath('gold', 'base', '2021-01-01'), withKey(research)),
  'method-not-allowed': () => gateway.request(PUBLIC_PATHS.status, { method: 'POST' }),
  'key-limit-reached': async () => {
    for (let count = 1; count < 5; count += 1) await gateway.createKey({ account: 'research' });
    return postKey('{}');
  },
  gone: () => gateway.request(dayPath('gold', 'base', '2022-01-04'), withKey(research)),
  'payload-too-large': () => postKey(JSON.stringify({ label: 'x'.repeat(65_536) })),
  'unsupported-media-type': () => postKey('label=x', 'application/x-www-form-urlencoded'),
  'range-not-satisfiable': () =>
    gateway.request(PUBLIC_PATHS.status, { headers: { Range: 'bytes=9999999-' } }),
  'rate-limited': async () => {
    await limited.request(PUBLIC_PATHS.status);
    return limited.request(PUBLIC_PATHS.status);
  },
  internal: async () => {
    faults.accounts = 'spoilt';
    return gateway.request(KEYS, await asDashboard({}));
  },
  'store-unavailable': async () => {
    faults.accounts = 'down';
    return gateway.request(BUNDLE, withKey(await limited.createKey()));
  },
  'identity-unavailable': () =>
    limited.request(KEYS, { headers: { Authorization: 'Bearer eyJh.eyJh.eyJh' } }),
  'not-published': () => empty.request(PUBLIC_PATHS.status),
};

it.each(CODES)('returns the complete problem %s and reveals no secret', async (code) => {
  const problem = await readProblem(await PROVOKED[code]());
  expect(problem.code).toBe(code);
  const text = JSON.stringify(problem);
  for (const secret of [research, single, lapsed, LINK_SECRET, 'a-bucket'])
    expect(text).not.toContain(secret);
});

it.each(CODES)('serves the page /problems/%s with the meaning from the table', async (code) => {
  const response = await gateway.request(problemPath(code));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await response.text();
  expect(page).toContain(`<code>${code}</code>, HTTP status ${PROBLEMS[code].status}`);
  const text = page.replace(/<\/?code>/g, '`');
  expect(text).toContain(PROBLEMS[code].meaning);
});

it.each(['unknown', 'toString', '__proto__', 'gone/x', 'Gone'])(
  'answers 404 for /problems/%s',
  async (name) => {
    expect(await readProblemCode(await gateway.request(`/problems/${name}`))).toBe('not-found');
  },
);

it('answers store-unavailable when an object is missing in the store', async () => {
  const { public: files } = await readCurrent(store);
  faults.object = `objects/sha256/${files[PUBLIC_PATHS.glossary]?.sha256 ?? ''}`;
  expect(await readProblemCode(await gateway.request(PUBLIC_PATHS.glossary))).toBe('store-unavailable');
  expect(gateway.log()).toContain('is missing');
});

it('logs an unexpected error under the request id that the caller got, without any secret', async () => {
  const { instance } = await readProblem(await PROVOKED.internal());
  const line = gateway
    .log()
    .split('\n')
    .find((each) => each.includes('unexpected error') && each.includes(instance));
  expect(line).toMatch(/account/);
  for (const secret of [research, single, lapsed, LINK_SECRET, 'eyJ'])
    expect(gateway.log()).not.toContain(secret);
});
