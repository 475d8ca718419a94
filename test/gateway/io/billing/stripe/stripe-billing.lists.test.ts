import {
  give,
  list,
  refuse,
  say,
  startCannedStripe,
  stripeCharge,
  stripeInvoicePayment,
  stripeSubscription,
  type CannedStripe,
  type Thing,
} from '../../../../support/stripe/canned-stripe.js';

const SUBSCRIPTIONS = 'GET /v1/subscriptions';
const CHARGES = 'GET /v1/charges';
const DISPUTES = 'GET /v1/disputes';
const INVOICE_PAYMENTS = 'GET /v1/invoice_payments';
const WEBHOOKS = 'GET /v1/webhook_endpoints';
const UNAVAILABLE = expect.objectContaining({ name: 'GatewayError', code: 'billing-unavailable' }) as Error;

let stripe: CannedStripe;
beforeAll(async () => {
  stripe = await startCannedStripe();
});
afterAll(() => stripe.dispose());
beforeEach(() => {
  stripe.reset();
  stripe.answer('GET /v1/customers/cus_1', give({ id: 'cus_1', metadata: {} }));
});

/** Returns the cursor of each request to a list, and its other parameters. */
function pagesOf(route: string): { after: (string | undefined)[]; rest: object[] } {
  const asked = stripe.paramsOf(route).map(({ starting_after: after, ...rest }) => ({ after, rest }));
  return { after: asked.map(({ after }) => after), rest: asked.map(({ rest }) => rest) };
}

/** Asserts that a list was read in two pages with the same parameters. */
function expectTwoPages(route: string, after: string): void {
  const { after: found, rest } = pagesOf(route);
  expect(found).toEqual([undefined, after]);
  expect(rest[0]).toMatchObject({ limit: '100' });
  expect(rest[1]).toEqual(rest[0]);
}

async function listIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of stripe.billing.listSubscriptions()) ids.push(id);
  return ids;
}

const THREE = ['sub_1', 'sub_2', 'sub_3'].map((id) => stripeSubscription({ id, status: 'canceled' }));

describe('a list of more than one page is read to its end', () => {
  it('of the subscriptions of a customer', async () => {
    stripe.answer(SUBSCRIPTIONS, list(THREE));
    const { subscriptions } = await stripe.billing.readCustomer('cus_1');
    expect(subscriptions.map(({ id }) => id)).toEqual(['sub_1', 'sub_2', 'sub_3']);
    expectTwoPages(SUBSCRIPTIONS, 'sub_2');
  });

  it('of all subscriptions, in every status and without their payments', async () => {
    const active = stripeSubscription({ id: 'sub_0', status: 'active' });
    stripe.answer(SUBSCRIPTIONS, list([active, ...THREE.slice(1)]));
    expect(await listIds()).toEqual(['sub_0', 'sub_2', 'sub_3']);
    expectTwoPages(SUBSCRIPTIONS, 'sub_2');
    expect(pagesOf(SUBSCRIPTIONS).rest[0]).toEqual({ status: 'all', limit: '100' });
    expect(stripe.sent.map(({ route }) => route)).toEqual([SUBSCRIPTIONS, SUBSCRIPTIONS]);
  });

  it('of the charges of a customer', async () => {
    stripe.answer(SUBSCRIPTIONS, list([stripeSubscription()]));
    const refunded = stripeCharge('3', { amount_refunded: 5 });
    stripe.answer(CHARGES, list([stripeCharge('1'), stripeCharge('2'), refunded]));
    stripe.answer(INVOICE_PAYMENTS, list([stripeInvoicePayment('1')]));
    const { subscriptions } = await stripe.billing.readCustomer('cus_1');
    expect(subscriptions[0]?.payments.map(({ refundedCents }) => refundedCents)).toEqual([0, 0, 5]);
    expectTwoPages(CHARGES, 'ch_2');
  });

  it('of the disputes and invoice payments of a charge', async () => {
    const others = ['a', 'b'].map((id) => stripeInvoicePayment(id, 'sub_other'));
    const disputes: Thing[] = ['won', 'won', 'lost'].map((status, at) => ({ id: `dp_${at}`, status }));
    stripe.answer(SUBSCRIPTIONS, list([stripeSubscription()]));
    stripe.answer(CHARGES, list([stripeCharge('1', { disputed: true })]));
    stripe.answer(INVOICE_PAYMENTS, list([...others, stripeInvoicePayment('1')]));
    stripe.answer(DISPUTES, list(disputes));
    const { subscriptions } = await stripe.billing.readCustomer('cus_1');
    expect(subscriptions[0]?.payments).toMatchObject([{ dispute: 'lost' }]);
    expectTwoPages(INVOICE_PAYMENTS, 'inpay_b');
    expectTwoPages(DISPUTES, 'dp_1');
  });

  it('of the webhooks', async () => {
    const one = {
      url: 'https://api.example.com/api/v1/stripe/webhook',
      status: 'enabled',
      livemode: false,
      enabled_events: ['charge.refunded'],
      api_version: '2026-10-28.endive',
    };
    const other = { url: 'https://x', status: 'disabled', livemode: true, enabled_events: ['*'] };
    const third = { id: 'we_3', ...other, api_version: null };
    stripe.answer(WEBHOOKS, list([{ id: 'we_1', ...one }, { id: 'we_2', ...one }, third]));
    const facts = {
      url: one.url,
      isEnabled: true,
      isLive: false,
      events: ['charge.refunded'],
      version: '2026-10-28.endive',
    };
    expect(await stripe.billing.listWebhooks()).toEqual([
      facts,
      facts,
      { url: 'https://x', isEnabled: false, isLive: true, events: ['*'], version: null },
    ]);
    expectTwoPages(WEBHOOKS, 'we_2');
  });
});

describe('the list of all subscriptions', () => {
  it('can be empty', async () => {
    stripe.answer(SUBSCRIPTIONS, list([]));
    expect(await listIds()).toEqual([]);
  });

  it('is read only as far as the caller iterates', async () => {
    stripe.answer(SUBSCRIPTIONS, list(THREE));
    for await (const { id } of stripe.billing.listSubscriptions()) if (id === 'sub_2') break;
    expect(stripe.paramsOf(SUBSCRIPTIONS)).toHaveLength(1);
    expect(stripe.errors).toEqual([]);
  });

  it.each([
    ['first', []],
    ['second', ['sub_1', 'sub_2']],
  ])('fails on its %s page with billing-unavailable, reported once', async (_which, before) => {
    const first = before.length > 0 ? [list(THREE)] : [];
    stripe.answer(SUBSCRIPTIONS, ...first, refuse(401));
    const ids: string[] = [];
    const failed: unknown = await (async () => {
      for await (const { id } of stripe.billing.listSubscriptions()) ids.push(id);
    })().catch((error: unknown) => error);
    expect(ids).toEqual(before);
    expect(failed).toEqual(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode: 401 })]);
    expect(failed).toMatchObject({ cause: stripe.errors[0] });
  });
});

describe('the missing permissions of the key', () => {
  const ROUTES = {
    customers: 'GET /v1/customers',
    subscriptions: SUBSCRIPTIONS,
    charges: CHARGES,
    disputes: DISPUTES,
    invoices: 'GET /v1/invoices',
    'invoice payments': INVOICE_PAYMENTS,
    'checkout sessions': 'GET /v1/checkout/sessions',
  };
  const answerAll = (): void => Object.values(ROUTES).forEach((route) => stripe.answer(route, list([])));

  it('are empty if one object of each kind can be listed', async () => {
    answerAll();
    expect(await stripe.billing.findMissingPermissions()).toEqual([]);
    expect(stripe.sent.map(({ route }) => route)).toEqual(Object.values(ROUTES));
    expect(stripe.sent.map(({ params }) => params)).toEqual(
      Object.values(ROUTES).map(() => ({ limit: '1' })),
    );
  });

  it.each(Object.entries(ROUTES))('are only %s when Stripe forbids that', async (what, route) => {
    answerAll();
    stripe.answer(route, refuse(403));
    expect(await stripe.billing.findMissingPermissions()).toEqual([what]);
    expect(stripe.errors).toEqual([]);
  });

  it('are everything that Stripe forbids', async () => {
    answerAll();
    for (const what of ['charges', 'invoices'] as const) stripe.answer(ROUTES[what], refuse(403));
    expect(await stripe.billing.findMissingPermissions()).toEqual(['charges', 'invoices']);
  });

  it.each([
    ['an invalid key', refuse(401), 401],
    ['an HTML response', say(200, '<html>'), undefined],
  ])('are unknown with %s', async (_what, reply, statusCode) => {
    answerAll();
    stripe.answer(CHARGES, refuse(403));
    stripe.answer(DISPUTES, reply);
    await expect(stripe.billing.findMissingPermissions()).rejects.toThrow(UNAVAILABLE);
    expect(stripe.errors).toEqual([expect.objectContaining({ statusCode })]);
  });
});
