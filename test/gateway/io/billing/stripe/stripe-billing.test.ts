import type { Subscription } from '../../../../../gateway/core/billing/subscription.js';
import { PRICES } from '../../../../support/stripe/billing.js';
import {
  give,
  list,
  refuse,
  startCannedStripe,
  stripeItem,
  stripeSubscription,
  type CannedStripe,
} from '../../../../support/stripe/canned-stripe.js';

const CUSTOMER = 'GET /v1/customers/cus_1';
const SUBSCRIPTIONS = 'GET /v1/subscriptions';
const SESSION = 'GET /v1/checkout/sessions/cs_1';
const EXPIRE = 'POST /v1/checkout/sessions/cs_1/expire';
const UNAVAILABLE = expect.objectContaining({ name: 'GatewayError', code: 'billing-unavailable' }) as Error;

let stripe: CannedStripe;
beforeAll(async () => {
  stripe = await startCannedStripe();
});
afterAll(() => stripe.dispose());
beforeEach(() => stripe.reset());

/** Reads a subscription without access, with the given changes, through its customer. */
async function read(changes: object = {}): Promise<Subscription | undefined> {
  stripe.answer(CUSTOMER, give({ id: 'cus_1', metadata: {} }));
  stripe.answer(SUBSCRIPTIONS, list([stripeSubscription({ status: 'canceled', ...changes })]));
  const { subscriptions } = await stripe.billing.readCustomer('cus_1');
  expect(subscriptions).toHaveLength(1);
  return subscriptions[0];
}

describe('a subscription', () => {
  const PLAIN: Subscription = {
    id: 'sub_1',
    customer: 'cus_1',
    status: 'canceled',
    isLive: false,
    currency: 'usd',
    metadata: { account: 'acme', plan: 'research' },
    createdMs: Date.parse('2026-06-01T00:00:00Z'),
    items: [
      {
        price: PRICES.research,
        periodStartMs: Date.parse('2026-08-01T00:00:00Z'),
        periodEndMs: Date.parse('2026-09-01T00:00:00Z'),
      },
    ],
    cancelAtMs: null,
    cancelsAtPeriodEnd: false,
    payments: [],
  };
  const NO_PERIOD = [{ price: 'price_2', periodStartMs: Number.NaN, periodEndMs: Number.NaN }];

  it.each<[string, object, Partial<Subscription>]>([
    ['all its members', {}, {}],
    ['its id', { id: 'sub_2' }, { id: 'sub_2' }],
    ['its customer as an id', { customer: 'cus_2' }, { customer: 'cus_2' }],
    ['its expanded customer', { customer: { id: 'cus_3', object: 'customer' } }, { customer: 'cus_3' }],
    ['its status', { status: 'unpaid' }, { status: 'unpaid' }],
    ['an unknown status', { status: 'dreaming' }, { status: 'dreaming' }],
    ['its mode', { livemode: true }, { isLive: true }],
    ['its currency', { currency: 'eur' }, { currency: 'eur' }],
    ['its metadata', { metadata: { chain: 'base' } }, { metadata: { chain: 'base' } }],
    ['no metadata', { metadata: {} }, { metadata: {} }],
    ['its creation time', { created: 1_785_542_401 }, { createdMs: 1_785_542_401_000 }],
    ['its cancellation time', { cancel_at: 1_788_220_801 }, { cancelAtMs: 1_788_220_801_000 }],
    ['a cancellation at the end of its period', { cancel_at_period_end: true }, { cancelsAtPeriodEnd: true }],
    ['no items', { items: { data: [] } }, { items: [] }],
    ['an item without a period', { items: { data: [{ price: { id: 'price_2' } }] } }, { items: NO_PERIOD }],
  ])('is read with %s', async (_what, changes, expected) => {
    expect(await read(changes)).toEqual({ ...PLAIN, ...expected });
  });

  it('is read with all its items', async () => {
    const other = stripeItem({ price: { id: 'price_2' }, current_period_start: 1, current_period_end: 2 });
    expect((await read({ items: { data: [stripeItem(), other] } }))?.items).toEqual([
      ...PLAIN.items,
      { price: 'price_2', periodStartMs: 1_000, periodEndMs: 2_000 },
    ]);
  });

  it('is requested by its customer, in every status', async () => {
    await read();
    expect(stripe.paramsOf(SUBSCRIPTIONS)).toEqual([{ status: 'all', limit: '100', customer: 'cus_1' }]);
  });
});

describe('a customer', () => {
  it('that was deleted has no subscriptions, and they are not requested', async () => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', object: 'customer', deleted: true }));
    expect(await stripe.billing.readCustomer('cus_1')).toEqual({ isDeleted: true, subscriptions: [] });
    expect(stripe.sent.map(({ route }) => route)).toEqual([CUSTOMER]);
  });

  it('that bought nothing has no subscriptions', async () => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', metadata: {} }));
    stripe.answer(SUBSCRIPTIONS, list([]));
    expect(await stripe.billing.readCustomer('cus_1')).toEqual({ isDeleted: false, subscriptions: [] });
  });

  it.each([
    ['has the account in its metadata', { metadata: { account: 'acme', plan: 'research' } }, 'acme'],
    ['has no account if its metadata names no account', { metadata: { shop: 'other' } }, null],
    ['has no account without metadata', { metadata: {} }, null],
    ['has no account after it was deleted', { deleted: true }, null],
  ])('%s', async (_what, changes, account) => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', object: 'customer', ...changes }));
    expect(await stripe.billing.readCustomerAccount('cus_1')).toBe(account);
  });

  it.each([
    ['as an id', 'cus_2', 'cus_2'],
    ['expanded', { id: 'cus_3', object: 'customer' }, 'cus_3'],
    ['null', null, null],
  ])('of a charge is read: %s', async (_what, customer, expected) => {
    stripe.answer('GET /v1/charges/ch_1', give({ id: 'ch_1', customer }));
    expect(await stripe.billing.readChargeCustomer('ch_1')).toBe(expected);
  });
});

describe('a checkout session', () => {
  it.each([
    ['open', 'open'],
    ['complete', 'complete'],
    ['expired', 'expired'],
    [null, 'expired'],
    ['a_new_status', 'expired'],
  ])('with the status %s counts as %s', async (status, state) => {
    stripe.answer(SESSION, give({ id: 'cs_1', status, url: 'https://checkout.example.com/1' }));
    const url = 'https://checkout.example.com/1';
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ id: 'cs_1', state, url });
  });

  it('can have no URL', async () => {
    stripe.answer(SESSION, give({ id: 'cs_1', status: 'complete', url: null }), give({ id: 'cs_1' }));
    const withoutUrl = { id: 'cs_1', url: null };
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ ...withoutUrl, state: 'complete' });
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ ...withoutUrl, state: 'expired' });
  });

  it('is expired with one request', async () => {
    stripe.answer(EXPIRE, give({ id: 'cs_1', status: 'expired' }));
    await stripe.billing.expireCheckout('cs_1');
    expect(stripe.sent.map(({ route }) => route)).toEqual([EXPIRE]);
  });

  it.each(['complete', 'expired', null])('that is no longer open is left as it is: %s', async (status) => {
    stripe.answer(EXPIRE, refuse(400));
    stripe.answer(SESSION, give({ id: 'cs_1', status }));
    await stripe.billing.expireCheckout('cs_1');
    expect(stripe.sent.map(({ route }) => route)).toEqual([EXPIRE, SESSION]);
    expect(stripe.errors).toEqual([]);
  });

  it('that cannot be expired and is still open fails, and reports the error', async () => {
    stripe.answer(EXPIRE, refuse(400, { message: 'not now' }));
    stripe.answer(SESSION, give({ id: 'cs_1', status: 'open' }));
    await expect(stripe.billing.expireCheckout('cs_1')).rejects.toThrow(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode: 400, message: 'not now' })]);
  });

  it('that can be neither expired nor read fails', async () => {
    stripe.answer(EXPIRE, refuse(400));
    stripe.answer(SESSION, refuse(404));
    await expect(stripe.billing.expireCheckout('cs_1')).rejects.toThrow(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode: 404 })]);
  });

  it('returns to a dashboard URL that already has a query', async () => {
    stripe.answer('POST /v1/checkout/sessions', give({ id: 'cs_1', status: 'open', url: 'https://x' }));
    const what = { account: 'acme', customer: 'cus_1', chain: null, idempotencyKey: 'key' };
    const billing = stripe.connect({ dashboardUrl: 'https://dashboard.example.com/?tab=billing' });
    await billing.createCheckout({ ...what, plan: 'research' });
    expect(stripe.sent[0]?.params).toMatchObject({
      success_url:
        'https://dashboard.example.com/?tab=billing&checkout=success&session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://dashboard.example.com/?tab=billing&checkout=cancelled',
    });
  });
});

describe('a price', () => {
  const MONTHLY = { interval: 'month', interval_count: 1 };
  const PRICE = { active: true, livemode: false, currency: 'usd', unit_amount: 14_900, recurring: MONTHLY };
  const FACTS = { isActive: true, isLive: false, currency: 'usd', cents: 14_900 };
  const EACH_MONTH = { interval: 'month', intervalCount: 1 };

  it.each([
    ['with all its members', {}, { ...FACTS, ...EACH_MONTH }],
    ['archived', { active: false }, { ...FACTS, ...EACH_MONTH, isActive: false }],
    ['live', { livemode: true }, { ...FACTS, ...EACH_MONTH, isLive: true }],
    ['in euros', { currency: 'eur' }, { ...FACTS, ...EACH_MONTH, currency: 'eur' }],
    ['with a fractional amount', { unit_amount: null }, { ...FACTS, ...EACH_MONTH, cents: null }],
    ['paid once', { recurring: null }, { ...FACTS, interval: null, intervalCount: null }],
    [
      'paid each quarter',
      { recurring: { interval: 'month', interval_count: 3 } },
      { ...FACTS, ...EACH_MONTH, intervalCount: 3 },
    ],
  ])('is read %s', async (_what, changes, facts) => {
    stripe.answer('GET /v1/prices/price_1', give({ id: 'price_1', object: 'price', ...PRICE, ...changes }));
    expect(await stripe.billing.readPrice('price_1')).toEqual(facts);
  });
});
