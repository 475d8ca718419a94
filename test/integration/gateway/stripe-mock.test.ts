import { createStripeBilling } from '../../../gateway/io/billing/stripe/stripe-billing.js';
import { STRIPE_API_VERSION } from '../../../gateway/io/billing/stripe/stripe-refusal.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { BILLING, PRICES } from '../../support/stripe/billing.js';
import {
  spoil,
  startStripeMock,
  type StripeRequest,
  type Change,
  type StripeMock,
} from '../../support/stripe/stripe-mock.js';

const INSTALL_MS = 300_000;
const KEY: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
const SOLD =
  'cancel_url customer line_items[0][price] line_items[0][quantity] metadata[account] metadata[plan] mode ' +
  'subscription_data[metadata][account] subscription_data[metadata][plan] success_url';
const PAID = 'expand[0] limit payment[payment_intent] payment[type]';

/**
 * Every request that the adapter can send, with the names of its parameters. The last test compares it with the requests
 * of this file, so that each new request is sent here and accepted by the mock.
 */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/customers': ['metadata[account]'],
  'GET /v1/customers/:id': [''],
  'GET /v1/charges/:id': [''],
  'POST /v1/checkout/sessions': [
    SOLD,
    `${SOLD} client_reference_id`,
    `${SOLD} client_reference_id metadata[chain] subscription_data[metadata][chain]`,
  ],
  'GET /v1/checkout/sessions': ['limit'],
  'GET /v1/checkout/sessions/:id': [''],
  'POST /v1/checkout/sessions/:id/expire': [''],
  'POST /v1/billing_portal/sessions': ['customer return_url'],
  'GET /v1/subscriptions': [
    'customer limit status',
    'customer limit starting_after status',
    'limit status',
    'limit starting_after status',
    'limit',
  ],
  'GET /v1/charges': ['created[gte] customer limit', 'created[gte] customer limit starting_after', 'limit'],
  'GET /v1/invoice_payments': [PAID, `${PAID} starting_after`, 'limit'],
  'GET /v1/disputes': ['charge limit', 'charge limit starting_after', 'limit'],
  'GET /v1/customers': ['limit'],
  'GET /v1/invoices': ['limit'],
  'GET /v1/prices/:id': [''],
  'GET /v1/webhook_endpoints': ['limit', 'limit starting_after'],
};

let mock: StripeMock;
let billing: BillingPort;
const errors: unknown[] = [];
const accepted: StripeRequest[] = [];
const called = new Set<string>();

beforeAll(async () => {
  mock = await startStripeMock();
  const real = createStripeBilling({
    ...BILLING,
    prices: PRICES,
    apiBase: mock.url,
    now: () => Date.now(),
    onError: (error) => errors.push(error),
  });
  billing = new Proxy(real, {
    get(target, name, receiver): unknown {
      called.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}, INSTALL_MS);
afterAll(async () => {
  process.stdout.write(`stripe-mock accepted ${accepted.length} requests\n`);
  await mock.dispose();
});
beforeEach(() => {
  mock.reset();
  errors.length = 0;
});
afterEach(() => {
  accepted.push(...mock.requests.filter(({ status }) => status === 200));
});

/** Returns the requests, after asserting that the mock accepted all of them in our API version. */
function expectAccepted(): string[] {
  expect(errors).toEqual([]);
  for (const { status, version } of mock.requests)
    expect([status, version]).toEqual([200, STRIPE_API_VERSION]);
  return mock.requests.map(({ method, path }) => `${method} ${path}`);
}

/** Answers a list in two pages. Each has the items of the mock's only page, with these changes. */
function inTwoPages(changed: (isFirst: boolean) => object): Change {
  return (body, { params }) => {
    const list = JSON.parse(body) as { data: object[] };
    const isFirst = params['starting_after'] === undefined;
    const data = list.data.map((each) => ({ ...each, ...changed(isFirst) }));
    return JSON.stringify({ ...list, data, has_more: isFirst });
  };
}

it('creates a customer with the account in its metadata, and sends an idempotency key', async () => {
  expect(await billing.createCustomer('acme', 'key-1')).toMatch(/^cus_/);
  expect(expectAccepted()).toEqual(['POST /v1/customers']);
  expect(mock.requests[0]).toMatchObject({ params: { 'metadata[account]': 'acme' }, idempotencyKey: KEY });
});

it.each([
  ['research', null],
  ['single-chain', 'base'],
] as const)(
  'creates a checkout session for %s with all the metadata that is needed later',
  async (plan, chain) => {
    const options = { account: 'acme', customer: 'cus_1', plan, chain, idempotencyKey: 'key-2' };
    expect((await billing.createCheckout(options)).id).toMatch(/^cs_/);
    expect(expectAccepted()).toEqual(['POST /v1/checkout/sessions']);
    expect(mock.requests[0]?.idempotencyKey).toEqual(KEY);
    expect(mock.requests[0]?.params).toEqual({
      mode: 'subscription',
      customer: 'cus_1',
      client_reference_id: 'acme',
      'line_items[0][price]': PRICES[plan],
      'line_items[0][quantity]': '1',
      'metadata[account]': 'acme',
      'metadata[plan]': plan,
      'subscription_data[metadata][account]': 'acme',
      'subscription_data[metadata][plan]': plan,
      ...(chain === null ? {} : { 'metadata[chain]': chain, 'subscription_data[metadata][chain]': chain }),
      success_url: `${BILLING.dashboardUrl}?checkout=success&session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${BILLING.dashboardUrl}?checkout=cancelled`,
    });
  },
);

it('omits the reference of an account whose name is too long for Stripe', async () => {
  const options = { customer: 'cus_1', plan: 'research', chain: null, idempotencyKey: 'key' } as const;
  await billing.createCheckout({ ...options, account: 'a'.repeat(200) });
  await billing.createCheckout({ ...options, account: 'a'.repeat(201) });
  expectAccepted();
  const references = mock.requests.map(({ params }) => params['client_reference_id']);
  expect(references).toEqual(['a'.repeat(200), undefined]);
});

it('reads and expires checkout sessions, and creates portal sessions', async () => {
  await billing.readCheckout('cs_test_1');
  await billing.expireCheckout('cs_test_1');
  expect(await billing.createPortal('cus_1', 'key-3')).toMatch(/^https:/);
  expect(expectAccepted()).toEqual([
    'GET /v1/checkout/sessions/cs_test_1',
    'POST /v1/checkout/sessions/cs_test_1/expire',
    'POST /v1/billing_portal/sessions',
  ]);
  expect(mock.requests.at(-1)).toMatchObject({
    params: { customer: 'cus_1', return_url: `${BILLING.dashboardUrl}?portal=returned` },
    idempotencyKey: KEY,
  });
});

it('reads a customer with its subscriptions, and the refunds and disputes of those that grant access', async () => {
  const CREATED = 1_785_542_400;
  const charge = { paid: true, created: CREATED, amount_captured: 100, amount_refunded: 7, disputed: true };
  mock.alter(
    /^\/v1\/subscriptions$/,
    inTwoPages((isFirst) => ({ id: 'sub_1', status: isFirst ? 'past_due' : 'canceled', created: CREATED })),
  );
  mock.alter(
    /^\/v1\/charges$/,
    inTwoPages((isFirst) => ({ ...charge, id: isFirst ? 'ch_1' : 'ch_2', payment_intent: 'pi_1' })),
  );
  mock.alter(
    /^\/v1\/invoice_payments$/,
    inTwoPages((isFirst) => {
      const subscription = isFirst ? 'sub_other' : 'sub_1';
      return { invoice: { id: 'in_1', parent: { subscription_details: { subscription } } } };
    }),
  );
  mock.alter(
    /^\/v1\/disputes$/,
    inTwoPages((isFirst) => ({ status: isFirst ? 'won' : 'under_review' })),
  );
  const { isDeleted, subscriptions } = await billing.readCustomer('cus_1');
  expectAccepted();
  const payment = { paidAtMs: CREATED * 1000, cents: 100, refundedCents: 7, dispute: 'open' };
  expect([isDeleted, subscriptions.map(({ payments }) => payments)]).toEqual([
    false,
    [[payment, payment], []],
  ]);
  expect(subscriptions[0]?.items).toEqual([expect.objectContaining({ price: expect.any(String) as string })]);
  const first = (path: string): unknown => mock.requests.find((each) => each.path === path)?.params;
  expect(first('/v1/subscriptions')).toEqual({ status: 'all', limit: '100', customer: 'cus_1' });
  expect(first('/v1/charges')).toMatchObject({ 'created[gte]': String(CREATED - 86_400), limit: '100' });
  expect(first('/v1/invoice_payments')).toMatchObject({ 'payment[payment_intent]': 'pi_1' });
  expect(first('/v1/disputes')).toEqual({ charge: 'ch_1', limit: '100' });
});

it('reads the account of a customer and the customer of a charge', async () => {
  mock.alter(/^\/v1\/customers\/cus_1$/, (body) =>
    JSON.stringify({ ...(JSON.parse(body) as object), metadata: { account: 'acme' } }),
  );
  expect(await billing.readCustomerAccount('cus_1')).toBe('acme');
  expect(await billing.readChargeCustomer('ch_1')).toBeNull();
  expect(expectAccepted()).toEqual(['GET /v1/customers/cus_1', 'GET /v1/charges/ch_1']);
});

it('reads all subscriptions without payments, prices, webhook endpoints, and its missing permissions', async () => {
  mock.alter(
    /^\/v1\/(subscriptions|webhook_endpoints)$/,
    inTwoPages(() => ({ status: 'active' })),
  );
  const subscriptions = [];
  for await (const each of billing.listSubscriptions()) subscriptions.push(each);
  expect(subscriptions.map(({ payments }) => payments)).toEqual([[], []]);
  expect(await billing.readPrice('price_1')).toMatchObject({ currency: 'usd' });
  expect(await billing.listWebhooks()).toHaveLength(2);
  expect(await billing.findMissingPermissions()).toEqual([]);
  expectAccepted();
});

/** Returns the route of a request in `REQUESTS`. */
const routeOf = ({ method, path }: StripeRequest): string =>
  `${method} ${path.replace(/\/(cus|cs_test|ch|price)_\w+/, '/:id')}`;
const namesOf = ({ params }: StripeRequest): string => Object.keys(params).sort().join(' ');
const sorted = (names: string): string => names.split(' ').sort().join(' ');

it.each(Object.keys(REQUESTS))('is refused by the mock with an unknown parameter: %s', async (route) => {
  const requests = accepted.filter((each) => routeOf(each) === route);
  expect(requests).not.toEqual([]);
  for (const each of new Map(requests.map((each) => [namesOf(each), each])).values()) {
    expect(await mock.resend(each, each.params)).toBe(200);
    for (const wrong of spoil(each.params))
      expect([wrong, await mock.resend(each, wrong)]).toEqual([wrong, 400]);
  }
});

it.each([
  ['POST /v1/checkout/sessions', 'mode', 'rent'],
  ['POST /v1/checkout/sessions', 'line_items[0][quantity]', 'many'],
  ['GET /v1/subscriptions', 'status', 'asleep'],
  ['GET /v1/charges', 'created[gte]', 'yesterday'],
  ['GET /v1/invoice_payments', 'payment[type]', 'cash'],
  ['GET /v1/disputes', 'limit', 'all'],
])('is refused by the mock with an invalid value: %s with %s=%s', async (route, name, value) => {
  const each = accepted.find((one) => routeOf(one) === route && name in one.params);
  if (each === undefined) throw new Error(`${name} was not sent`);
  expect(await mock.resend(each, each.params)).toBe(200);
  expect(await mock.resend(each, { ...each.params, [name]: value })).toBe(400);
});

it('covers every call of the port, and sends exactly the requests listed above', () => {
  const calls = Object.keys(billing).filter((name) => name !== 'verifyEvent');
  expect(calls.filter((name) => !called.has(name))).toEqual([]);
  const sent = new Set(accepted.map((each) => `${routeOf(each)} ${namesOf(each)}`));
  const listed = Object.entries(REQUESTS).flatMap(([route, each]) =>
    each.map((names) => `${route} ${sorted(names)}`),
  );
  expect([...sent].sort()).toEqual(listed.sort());
});
