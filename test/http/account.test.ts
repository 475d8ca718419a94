import { GatewayError } from '../../gateway/core/problems.js';
import { keyRecordKey } from '../../schemas/paths.js';
import type { CheckoutOptions } from '../../gateway/io/billing/billing-port.js';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import {
  asJson,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';

const ACCOUNT = '/api/v1/account';
const CHECKOUT = '/api/v1/checkout';
const FILE = '/api/v1/files/gold/base/7d/latest.json';
const now = (): number => Date.now();
const fake = createFakeBilling({ now, prices: PRICES });
const accountsStore = createMemoryStore();
let isDown = false;
let lastOpened = '';
/** Runs once, while the payment service answers the next reading of a customer, or the next opening of a checkout. */
let meanwhile: { atReading?: () => Promise<void>; atOpening?: () => Promise<void> } = {};
let server: DashboardServer;
beforeAll(async () => {
  const billing = {
    ...fake,
    async readCustomer(customer: string) {
      if (meanwhile.atReading !== undefined) await runOnce('atReading');
      if (isDown) throw new GatewayError('billing-unavailable');
      return fake.readCustomer(customer);
    },
    async createCheckout(options: CheckoutOptions) {
      const session = await fake.createCheckout(options);
      lastOpened = session.id;
      if (meanwhile.atOpening !== undefined) await runOnce('atOpening');
      return session;
    },
  };
  server = await startDashboardServer(now, { billing, accountsStore, configuration: { billing: BILLING } });
});
afterAll(() => server.dispose());
afterEach(() => (isDown = false));

async function runOnce(when: 'atReading' | 'atOpening'): Promise<void> {
  const { [when]: run } = meanwhile;
  meanwhile = {};
  await run?.();
}

const remove = (session: Dashboard, body: unknown = { confirm: 'delete' }): Promise<Response> =>
  session.request('DELETE', { path: ACCOUNT, ...asJson(body) });

async function createKey(session: Dashboard, label: string): Promise<{ key: string; id: string }> {
  return (await session.request('POST', asJson({ label }))).json() as Promise<{ key: string; id: string }>;
}

/** Buys a plan and returns the subscription. */
async function buy(session: Dashboard): Promise<string> {
  const answer = await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
  const { session_id: id } = (await answer.json()) as { session_id: string };
  return fake.complete(id);
}

it('exports everything that is kept about the account, and no secret key', async () => {
  const session = await server.openSession();
  const { key, id } = await createKey(session, 'notebook');
  const response = await session.request('GET', { path: ACCOUNT });
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({
    account: {
      account: session.account,
      keys: { [id]: { label: 'notebook' } },
      grants: [{ reason: 'a test' }],
    },
    last_used: {},
  });
  expect(text).not.toContain(key);
});

it('deletes the account: its keys stop working at once, and their records are gone', async () => {
  const session = await server.openSession();
  const { key, id } = await createKey(session, 'notebook');
  const headers = { 'X-API-Key': key };
  expect((await server.gateway.request(FILE, { headers })).status).toBe(307);
  expect((await remove(session)).status).toBe(200);
  expect(await readProblemCode(await server.gateway.request(FILE, { headers }))).toBe('api-key-invalid');
  expect(await accountsStore.get(keyRecordKey(id))).toBeUndefined();
  const { account } = (await (await session.request('GET', { path: ACCOUNT })).json()) as { account: object };
  expect(account).toMatchObject({ keys: {}, deleted_at: expect.any(String) as string });
  expect(account).not.toHaveProperty('billing');
  expect((await remove(session)).status).toBe(200); // again
  expect(await readProblemCode(await session.request('POST'))).toBe('subscription-inactive');
});

it.each([undefined, {}, { confirm: 'yes' }, { confirm: true }, { confirm: 'delete', more: 1 }])(
  'deletes nothing with the body %j',
  async (body) => {
    const session = await server.openSession();
    const { key } = await createKey(session, 'kept');
    expect(await readProblemCode(await remove(session, body ?? {}))).toBe('request-malformed');
    expect((await server.gateway.request(FILE, { headers: { 'X-API-Key': key } })).status).toBe(307);
  },
);

it('refuses while a subscription is paid, even one that no event has reported, and says what to do', async () => {
  const session = await server.openSession({ granted: false });
  const subscription = await buy(session);
  const { code, detail } = await readProblem(await remove(session));
  expect([code, detail]).toEqual([
    'already-subscribed',
    expect.stringContaining('Cancel it in the billing portal'),
  ]);
  fake.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  expect((await remove(session)).status).toBe(200);
});

it('closes an open checkout, so that nothing can be paid for a deleted account', async () => {
  const session = await server.openSession({ granted: false });
  const answer = await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
  const { session_id: id } = (await answer.json()) as { session_id: string };
  expect((await remove(session)).status).toBe(200);
  expect((await fake.readCheckout(id)).state).toBe('expired');
});

it('sells to an owner who has started purchases and deleted the account again and again within an hour', async () => {
  const session = await server.openSession({ granted: false });
  for (let times = 1; times <= 5; times += 1) {
    const answer = await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
    expect(answer.status).toBe(201);
    const { session_id: id } = (await answer.json()) as { session_id: string };
    expect((await fake.readCheckout(id)).state).toBe('open');
    expect((await remove(session)).status).toBe(200);
  }
});

it('keeps a purchase that is started while the account is being deleted, and stops it when asked again', async () => {
  const session = await server.openSession({ granted: false });
  await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
  let bought = '';
  meanwhile.atReading = async () => {
    const answer = await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
    bought = ((await answer.json()) as { session_id: string }).session_id;
  };
  const { code, detail } = await readProblem(await remove(session));
  expect([code, detail]).toEqual(['already-subscribed', expect.stringContaining('Delete the account again')]);
  expect((await fake.readCheckout(bought)).state).toBe('open');
  expect((await remove(session)).status).toBe(200);
  expect((await fake.readCheckout(bought)).state).toBe('expired');
});

it('expires a checkout that is opened after the account was deleted', async () => {
  const session = await server.openSession({ granted: false });
  let deleted = 0;
  meanwhile.atOpening = async () => {
    deleted = (await remove(session)).status;
  };
  const answer = await session.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });
  expect([deleted, answer.status]).toEqual([200, 503]);
  expect((await fake.readCheckout(lastOpened)).state).toBe('expired');
});

it('deletes nothing while the payment service does not answer', async () => {
  const session = await server.openSession({ granted: false });
  fake.change(await buy(session), 'customer.subscription.deleted', { status: 'canceled' });
  isDown = true;
  expect((await remove(session)).status).toBeGreaterThanOrEqual(500);
  isDown = false;
  const { account } = (await (await session.request('GET', { path: ACCOUNT })).json()) as { account: object };
  expect(account).toHaveProperty('billing');
});

it('deletes no customer of a payment service that is not configured', async () => {
  const plain = await startDashboardServer(now, { accountsStore });
  try {
    const session = await server.openSession({ granted: false });
    await buy(session);
    const authorization = `Bearer ${await plain.provider.sign({ account: session.account })}`;
    const answer = await plain.gateway.request(ACCOUNT, {
      method: 'DELETE',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ confirm: 'delete' }),
    });
    expect(await readProblemCode(answer)).toBe('billing-not-configured');
  } finally {
    await plain.dispose();
  }
});

it('needs a session, and is only ever about its own account', async () => {
  for (const method of ['GET', 'DELETE']) {
    expect(await readProblemCode(await server.gateway.request(ACCOUNT, { method }))).toBe('session-invalid');
  }
  const [one, other] = [await server.openSession(), await server.openSession()];
  const { key } = await createKey(other, 'kept');
  expect((await remove(one)).status).toBe(200);
  expect((await server.gateway.request(FILE, { headers: { 'X-API-Key': key } })).status).toBe(307);
});

it('lets only dashboards of the configuration ask', async () => {
  for (const [origin, allowed] of [
    ['https://dashboard.example.com', 'https://dashboard.example.com'],
    ['https://evil.example', null],
  ] as const) {
    const { headers } = await server.gateway.request(ACCOUNT, {
      method: 'OPTIONS',
      headers: { Origin: origin },
    });
    expect(headers.get('Access-Control-Allow-Origin')).toBe(allowed);
  }
});
