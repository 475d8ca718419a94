import Stripe from 'stripe';
import { createStripeBilling, STRIPE_API_VERSION } from '../../gateway/io/billing/stripe-billing.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { startStripeMock, type StripeMock } from '../fixtures/stripe-mock.js';

const INSTALL_MS = 300_000;
let mock: StripeMock;
let billing: BillingPort;
const errors: unknown[] = [];

beforeAll(async () => {
  mock = await startStripeMock();
  billing = createStripeBilling({
    ...BILLING,
    prices: PRICES,
    apiBase: mock.url,
    now: () => Date.now(),
    onError: (error) => errors.push(error),
  });
}, INSTALL_MS);
afterAll(() => mock.dispose());
beforeEach(() => {
  mock.asked.length = 0;
  errors.length = 0;
});

/** What was asked, once all of it was accepted by Stripe's own schema and in our version. */
function expectAccepted(): string[] {
  expect(errors).toEqual([]);
  for (const { status, version } of mock.asked) expect([status, version]).toEqual([200, STRIPE_API_VERSION]);
  return mock.asked.map(({ method, path }) => `${method} ${path}`);
}

it('makes customers that carry the account, once for a key', async () => {
  expect(await billing.createCustomer('acme', 'key-1')).toMatch(/^cus_/);
  expect(expectAccepted()).toEqual(['POST /v1/customers']);
  expect(mock.asked[0]).toMatchObject({ params: 'metadata[account]=acme', idempotencyKey: 'key-1' });
});

it.each([
  ['research', null],
  ['single-chain', 'base'],
] as const)('opens a checkout for %s with everything that we must know later', async (plan, chain) => {
  const terms = { account: 'acme', customer: 'cus_1', plan, chain, idempotencyKey: 'key-2' };
  const session = await billing.createCheckout(terms);
  expect(session.id).toMatch(/^cs_/);
  expect(expectAccepted()).toEqual(['POST /v1/checkout/sessions']);
  const params = new URLSearchParams(mock.asked[0]?.params);
  expect(Object.fromEntries(params)).toEqual({
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
    success_url: `${BILLING.dashboardUrl}?checkout=success`,
    session_id: '{CHECKOUT_SESSION_ID}', // the & of the address, decoded
    cancel_url: `${BILLING.dashboardUrl}?checkout=cancelled`,
  });
});

it('leaves out the reference of an account whose name is longer than Stripe takes', async () => {
  const account = 'a'.repeat(255);
  await billing.createCheckout({
    account,
    customer: 'cus_1',
    plan: 'research',
    chain: null,
    idempotencyKey: 'k',
  });
  expectAccepted();
  expect(mock.asked[0]?.params).not.toContain('client_reference_id');
});

it('reads and ends sessions, and opens the portal', async () => {
  await billing.readCheckout('cs_test_1');
  await billing.expireCheckout('cs_test_1');
  expect(await billing.createPortal('cus_1', 'key-3')).toMatch(/^https:/);
  expect(expectAccepted()).toEqual([
    'GET /v1/checkout/sessions/cs_test_1',
    'POST /v1/checkout/sessions/cs_test_1/expire',
    'POST /v1/billing_portal/sessions',
  ]);
  expect(mock.asked.at(-1)?.idempotencyKey).toBe('key-3');
});

it('reads a customer with its subscriptions, and the money of those that give access', async () => {
  mock.alter(/^\/v1\/subscriptions$/, (body) =>
    body
      .replace(/"status": ?"[a-z_]+"/g, '"status":"active"')
      .replace(/"has_more": ?true/g, '"has_more":false'),
  );
  mock.alter(/^\/v1\/charges$/, (body) =>
    body
      .replace(/"amount_refunded": ?\d+/g, '"amount_refunded":7')
      .replace(/"disputed": ?false/g, '"disputed":true'),
  );
  const { isDeleted, subscriptions } = await billing.readCustomer('cus_1');
  expect(isDeleted).toBe(false);
  expect(subscriptions.length).toBeGreaterThan(0);
  for (const { id, items, createdMs } of subscriptions) {
    expect([id, items.length > 0, Number.isFinite(createdMs)]).toEqual([
      expect.stringMatching(/^sub_/),
      true,
      true,
    ]);
  }
  const paths = expectAccepted();
  expect(paths.slice(0, 3)).toEqual(['GET /v1/customers/cus_1', 'GET /v1/subscriptions', 'GET /v1/charges']);
  expect(mock.asked[1]?.params).toBe('status=all&limit=100&customer=cus_1');
  expect(mock.asked[2]?.params).toMatch(/^customer=[a-z_]+\w*&created\[gte\]=\d+&limit=100$/);
});

it('finds what a charge paid, and what became of its dispute', async () => {
  mock.alter(/^\/v1\/subscriptions$/, (body) => body.replace(/"status": ?"[a-z_]+"/g, '"status":"past_due"'));
  mock.alter(/^\/v1\/charges$/, (body) =>
    body
      .replace(/"amount_refunded": ?\d+/g, '"amount_refunded":7')
      .replace(/"disputed": ?false/g, '"disputed":true')
      .replace(/"payment_intent": ?(null|"\w+")/g, '"payment_intent":"pi_1"'),
  );
  const [listed] = (await billing.readCustomer('cus_1')).subscriptions;
  mock.alter(/^\/v1\/invoice_payments$/, (body) => toInvoicePayments(body, listed?.id ?? ''));
  mock.alter(/^\/v1\/disputes$/, (body) => body.replace(/"status": ?"\w+"/g, '"status":"under_review"'));
  mock.asked.length = 0;
  const { subscriptions } = await billing.readCustomer('cus_1');
  expect(subscriptions.flatMap(({ payments }) => payments)).toContainEqual({
    refund: 'partial',
    dispute: 'open',
  });
  expect(expectAccepted()).toEqual(
    expect.arrayContaining(['GET /v1/charges', 'GET /v1/invoice_payments', 'GET /v1/disputes']),
  );
  const of = (path: string): string | undefined => mock.asked.find((each) => each.path === path)?.params;
  expect(of('/v1/invoice_payments')).toBe(
    'payment[type]=payment_intent&payment[payment_intent]=pi_1&expand[0]=data.invoice&limit=100',
  );
  expect(of('/v1/disputes')).toMatch(/^charge=ch_\w+&limit=100$/);
  expect(await billing.readChargeCustomer('ch_1')).toEqual(null);
});

/** The list with an invoice of the subscription in it, which the mock leaves as an id or without its parent. */
function toInvoicePayments(body: string, subscription: string): string {
  const list = JSON.parse(body) as { data: { invoice: unknown }[] };
  const parent = { type: 'subscription_details', subscription_details: { subscription } };
  const data = list.data.map((each) => ({ ...each, invoice: { id: 'in_1', object: 'invoice', parent } }));
  return JSON.stringify({ ...list, data });
}

it('reads every subscription, and prices', async () => {
  const all = [];
  for await (const each of billing.listSubscriptions()) all.push(each);
  expect(all.length).toBeGreaterThan(0);
  const price = await billing.readPrice('price_1');
  expect(price).toMatchObject({ currency: 'usd' });
  expect((await billing.listWebhooks()).length).toBeGreaterThan(0);
  expectAccepted();
});

it('is told by the mock what is wrong: it does judge', async () => {
  const at = new URL(mock.url);
  const stripe = new Stripe('sk_test_direct', {
    host: at.hostname,
    port: at.port,
    protocol: 'http',
    maxNetworkRetries: 0,
  });
  const wrong: object = { mode: 'subscription', no_such_parameter: 1 };
  await expect(stripe.checkout.sessions.create(wrong)).rejects.toMatchObject({ statusCode: 400 });
  await expect(stripe.subscriptions.list({ status: 'no such status' })).rejects.toMatchObject({
    statusCode: 400,
  });
});

it('fails as one problem, with the cause for the log alone, when Stripe refuses or is gone', async () => {
  const gone = createStripeBilling({
    ...BILLING,
    prices: PRICES,
    apiBase: 'http://127.0.0.1:9',
    now: () => Date.now(),
    onError: (error) => errors.push(error),
  });
  await expect(gone.createPortal('cus_1', 'key-4')).rejects.toMatchObject({ code: 'billing-unavailable' });
  expect(errors).toHaveLength(1);
});
