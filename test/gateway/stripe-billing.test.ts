import type { Subscription } from '../../gateway/core/billing/subscription.js';
import { PRICES } from '../fixtures/billing.js';
import {
  give,
  list,
  refuse,
  startCannedStripe,
  stripeItem,
  stripeSubscription,
  type CannedStripe,
} from '../fixtures/canned-stripe.js';

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

/** A subscription that gives no access but for what is said, as it is read for its customer. */
async function read(said: object = {}): Promise<Subscription | undefined> {
  stripe.answer(CUSTOMER, give({ id: 'cus_1', metadata: {} }));
  stripe.answer(SUBSCRIPTIONS, list([stripeSubscription({ status: 'canceled', ...said })]));
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
    ['as it is', {}, {}],
    ['its id', { id: 'sub_2' }, { id: 'sub_2' }],
    ['its customer by id', { customer: 'cus_2' }, { customer: 'cus_2' }],
    ['its customer as itself', { customer: { id: 'cus_3', object: 'customer' } }, { customer: 'cus_3' }],
    ['its status', { status: 'unpaid' }, { status: 'unpaid' }],
    ['a status that we do not know', { status: 'dreaming' }, { status: 'dreaming' }],
    ['its mode', { livemode: true }, { isLive: true }],
    ['its currency', { currency: 'eur' }, { currency: 'eur' }],
    ['its metadata', { metadata: { chain: 'base' } }, { metadata: { chain: 'base' } }],
    ['no metadata', { metadata: {} }, { metadata: {} }],
    ['when it began', { created: 1_785_542_401 }, { createdMs: 1_785_542_401_000 }],
    ['when it will end', { cancel_at: 1_788_220_801 }, { cancelAtMs: 1_788_220_801_000 }],
    ['that it ends with its period', { cancel_at_period_end: true }, { cancelsAtPeriodEnd: true }],
    ['no items', { items: { data: [] } }, { items: [] }],
    ['an item without a period', { items: { data: [{ price: { id: 'price_2' } }] } }, { items: NO_PERIOD }],
  ])('is read with %s', async (_what, said, expected) => {
    expect(await read(said)).toEqual({ ...PLAIN, ...expected });
  });

  it('is read with each of its items', async () => {
    const other = stripeItem({ price: { id: 'price_2' }, current_period_start: 1, current_period_end: 2 });
    expect((await read({ items: { data: [stripeItem(), other] } }))?.items).toEqual([
      ...PLAIN.items,
      { price: 'price_2', periodStartMs: 1_000, periodEndMs: 2_000 },
    ]);
  });

  it('is asked for whatever its status, of one customer', async () => {
    await read();
    expect(stripe.paramsOf(SUBSCRIPTIONS)).toEqual([{ status: 'all', limit: '100', customer: 'cus_1' }]);
  });
});

describe('a customer', () => {
  it('who was deleted has nothing, and nothing is asked for', async () => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', object: 'customer', deleted: true }));
    expect(await stripe.billing.readCustomer('cus_1')).toEqual({ isDeleted: true, subscriptions: [] });
    expect(stripe.sent.map(({ route }) => route)).toEqual([CUSTOMER]);
  });

  it('who bought nothing has nothing', async () => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', metadata: {} }));
    stripe.answer(SUBSCRIPTIONS, list([]));
    expect(await stripe.billing.readCustomer('cus_1')).toEqual({ isDeleted: false, subscriptions: [] });
  });

  it.each([
    ['carries its account', { metadata: { account: 'acme', plan: 'research' } }, 'acme'],
    ['has no account without one in its metadata', { metadata: { shop: 'other' } }, null],
    ['has no account without metadata', { metadata: {} }, null],
    ['has no account once it is deleted', { deleted: true }, null],
  ])('%s', async (_what, said, account) => {
    stripe.answer(CUSTOMER, give({ id: 'cus_1', object: 'customer', ...said }));
    expect(await stripe.billing.readCustomerAccount('cus_1')).toBe(account);
  });

  it.each([
    ['by its id', 'cus_2', 'cus_2'],
    ['as itself', { id: 'cus_3', object: 'customer' }, 'cus_3'],
    ['as nobody', null, null],
  ])('is found by a charge %s', async (_what, customer, expected) => {
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
    ['a new word', 'expired'],
  ])('that Stripe calls %s is %s', async (status, state) => {
    stripe.answer(SESSION, give({ id: 'cs_1', status, url: 'https://checkout.example.com/1' }));
    const url = 'https://checkout.example.com/1';
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ id: 'cs_1', state, url });
  });

  it('without an address has none', async () => {
    stripe.answer(SESSION, give({ id: 'cs_1', status: 'complete', url: null }), give({ id: 'cs_1' }));
    const noAddress = { id: 'cs_1', url: null };
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ ...noAddress, state: 'complete' });
    expect(await stripe.billing.readCheckout('cs_1')).toEqual({ ...noAddress, state: 'expired' });
  });

  it('is ended', async () => {
    stripe.answer(EXPIRE, give({ id: 'cs_1', status: 'expired' }));
    await stripe.billing.expireCheckout('cs_1');
    expect(stripe.sent.map(({ route }) => route)).toEqual([EXPIRE]);
  });

  it.each(['complete', 'expired', null])('that is not open any more is ended well: %s', async (status) => {
    stripe.answer(EXPIRE, refuse(400));
    stripe.answer(SESSION, give({ id: 'cs_1', status }));
    await stripe.billing.expireCheckout('cs_1');
    expect(stripe.sent.map(({ route }) => route)).toEqual([EXPIRE, SESSION]);
    expect(stripe.errors).toEqual([]);
  });

  it('that cannot be ended and is still open fails, and is told', async () => {
    stripe.answer(EXPIRE, refuse(400, { message: 'not now' }));
    stripe.answer(SESSION, give({ id: 'cs_1', status: 'open' }));
    await expect(stripe.billing.expireCheckout('cs_1')).rejects.toThrow(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode: 400, message: 'not now' })]);
  });

  it('of which nothing can be learned fails', async () => {
    stripe.answer(EXPIRE, refuse(400));
    stripe.answer(SESSION, refuse(404));
    await expect(stripe.billing.expireCheckout('cs_1')).rejects.toThrow(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode: 404 })]);
  });

  it('leads back to a dashboard whose address has a query already', async () => {
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
    ['as it is', {}, { ...FACTS, ...EACH_MONTH }],
    ['archived', { active: false }, { ...FACTS, ...EACH_MONTH, isActive: false }],
    ['live', { livemode: true }, { ...FACTS, ...EACH_MONTH, isLive: true }],
    ['in euros', { currency: 'eur' }, { ...FACTS, ...EACH_MONTH, currency: 'eur' }],
    ['in parts of a cent', { unit_amount: null }, { ...FACTS, ...EACH_MONTH, cents: null }],
    ['paid once', { recurring: null }, { ...FACTS, interval: null, intervalCount: null }],
    [
      'paid each quarter',
      { recurring: { interval: 'month', interval_count: 3 } },
      { ...FACTS, ...EACH_MONTH, intervalCount: 3 },
    ],
  ])('is read %s', async (_what, said, facts) => {
    stripe.answer('GET /v1/prices/price_1', give({ id: 'price_1', object: 'price', ...PRICE, ...said }));
    expect(await stripe.billing.readPrice('price_1')).toEqual(facts);
  });
});
