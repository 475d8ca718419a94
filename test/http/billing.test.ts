import { bundlePath } from '../../schemas/paths.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import {
  asJson,
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import {
  readDocument,
  readProblem,
  readProblemCode,
  type AnyDocument,
} from '../support/gateway/http-answers.js';

const CHECKOUT = '/api/v1/checkout';
const PORTAL = '/api/v1/checkout/portal';
const WEBHOOK = '/api/v1/stripe/webhook';
const BUNDLE = bundlePath('gold', 'base', '7d');
const DAY = 86_400_000;

let nowMs: number;
let billing: FakeBilling;
let server: DashboardServer;
beforeEach(async () => {
  nowMs = Date.parse('2026-08-20T12:00:00Z');
  billing = createFakeBilling({ now: () => nowMs, prices: PRICES });
  server = await startDashboardServer(() => nowMs, { billing, configuration: { billing: BILLING } });
});
afterEach(() => server.dispose());

const buy = (dashboard: Dashboard, what: object): Promise<Response> =>
  dashboard.request('POST', { path: CHECKOUT, ...asJson(what) });

const send = (event: BillingEvent | undefined, signature = FAKE_SIGNATURE): Promise<Response> =>
  server.gateway.request(WEBHOOK, {
    method: 'POST',
    body: event === undefined ? '' : Buffer.from(billing.toBody(event)),
    headers: { 'Stripe-Signature': signature, 'Content-Type': 'application/json' },
  });

/** Sends all events so far, including those sent before, and returns their outcomes. */
async function sendAll(): Promise<unknown[]> {
  const outcomes = [];
  for (const event of billing.events) outcomes.push((await readDocument(await send(event))).outcome);
  return outcomes;
}

async function subscriptionOf(dashboard: Dashboard): Promise<AnyDocument | null> {
  const { subscription } = await readDocument(await dashboard.request('GET', { path: ENTITLEMENTS_PATH }));
  return subscription as AnyDocument | null; // as the schema says
}

/** Buys a plan, completes the payment and returns the subscription. */
async function purchase(dashboard: Dashboard, what: object): Promise<string> {
  const { session_id: session } = await readDocument(await buy(dashboard, what));
  const subscription = billing.complete(String(session));
  await sendAll();
  return subscription;
}

/** Returns the logged alerts, oldest first. */
const readAlerts = (): unknown[] =>
  server.gateway
    .log()
    .split('\n')
    .filter((line) => line.includes('"alert"'))
    .map((line) => (JSON.parse(line) as AnyDocument)['alert']);

const useKey = async (key: string): Promise<number> =>
  (await server.gateway.request(BUNDLE, { headers: { 'X-API-Key': key } })).status;

describe('a purchase', () => {
  it('grants access with the first event and not before', async () => {
    const dashboard = await server.openSession({ granted: false });
    expect(await readProblemCode(await dashboard.request('POST'))).toBe('subscription-inactive');
    const response = await buy(dashboard, { plan: 'single-chain', chain: 'base' });
    const { checkout_url: url, session_id: session } = await readDocument(response);
    expect([response.status, response.headers.get('cache-control'), url]).toEqual([
      201,
      'no-store',
      expect.stringMatching(/^https:/),
    ]);
    expect(await subscriptionOf(dashboard)).toBeNull();
    billing.complete(String(session));
    const [first] = billing.events;
    expect(await readDocument(await send(first))).toEqual({ received: true, outcome: 'taken' });
    const { key } = await readDocument(await dashboard.request('POST'));
    expect(await useKey(String(key))).toBe(307);
    expect(await subscriptionOf(dashboard)).toEqual({
      state: 'active',
      outcome: 'granted',
      plan: 'single-chain',
      chain: 'base',
      since: '2026-08-20T12:00:00Z',
      period_end: '2026-09-19T12:00:00Z',
      cancel_at: null,
      access_until: '2026-09-22T12:00:00Z',
    });
  });

  it('grants access to a waiting buyer even if every event was lost', async () => {
    const dashboard = await server.openSession({ granted: false });
    const { session_id: session } = await readDocument(await buy(dashboard, { plan: 'pro' }));
    expect(await subscriptionOf(dashboard)).toBeNull();
    billing.complete(String(session));
    nowMs += 6_000;
    expect(await subscriptionOf(dashboard)).toMatchObject({ state: 'active', plan: 'research' });
    expect((await dashboard.request('POST')).status).toBe(201);
  });

  it.each([
    ['basic', { chain: 'base' }, 'single-chain'],
    ['pro', {}, 'research'],
    ['research', { chain: null }, 'research'],
  ])('accepts the plan name %s', async (plan, more, id) => {
    const dashboard = await server.openSession({ granted: false });
    await purchase(dashboard, { plan, ...more });
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: id });
  });

  it.each([
    [{}, /Invalid plan. Use one of single-chain, basic, research, pro\./],
    [{ plan: 'gold' }, /Invalid plan/],
    [{ plan: 'single-chain' }, /Single Chain needs a chain. Set chain to one of bitcoin/],
    [{ plan: 'basic', chain: 'dogecoin' }, /needs a chain/],
    [{ plan: 'basic', chain: ['base'] }, /needs a chain/],
    [{ plan: 'research', chain: 'base' }, /Research includes all chains. Remove chain\./],
    [{ plan: 'research', price: 1 }, /The body may have only these members: plan, chain/],
  ])('is rejected with a detail that names the mistake: %j', async (what, detail) => {
    const { code, detail: text } = await readProblem(await buy(await server.openSession(), what));
    expect([code, text]).toEqual(['request-malformed', expect.stringMatching(detail)]);
    expect(billing.subscriptions()).toEqual([]);
  });

  it('returns the same checkout session for a double click and while it is open', async () => {
    const dashboard = await server.openSession({ granted: false });
    const answers = await Promise.all([1, 2, 3].map(() => buy(dashboard, { plan: 'research' })));
    answers.push(await buy(dashboard, { plan: 'pro' }));
    const sessions = await Promise.all(answers.map(async (each) => (await readDocument(each)).session_id));
    expect(new Set(sessions).size).toBe(1);
  });

  it('of another plan expires the previous checkout session, also when several are requested at once', async () => {
    const dashboard = await server.openSession({ granted: false });
    const wanted = [
      { plan: 'research' },
      { plan: 'basic', chain: 'base' },
      { plan: 'basic', chain: 'bitcoin' },
    ];
    for (const what of wanted) await buy(dashboard, what);
    await Promise.all(wanted.map((what) => buy(dashboard, what)));
    const { session_id: last } = await readDocument(await buy(dashboard, { plan: 'research' }));
    const states = await Promise.all(
      Array.from({ length: 40 }, (_, i) => billing.readCheckout(`cs_fake${i + 1}`).catch(() => undefined)),
    );
    expect(states.filter((each) => each?.state === 'open').map((each) => each?.id)).toEqual([last]);
  });

  it('returns a new checkout session after the previous one has expired', async () => {
    const dashboard = await server.openSession({ granted: false });
    const before = await readDocument(await buy(dashboard, { plan: 'research' }));
    billing.expire(String(before.session_id));
    const after = await readDocument(await buy(dashboard, { plan: 'research' }));
    expect(after.session_id).not.toBe(before.session_id);
  });

  it('of a subscriber is rejected in every state until the subscription has ended', async () => {
    const dashboard = await server.openSession({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    for (const status of ['active', 'past_due', 'unpaid', 'paused', 'incomplete']) {
      billing.change(subscription, 'customer.subscription.updated', { status });
      const { code, detail } = await readProblem(await buy(dashboard, { plan: 'research' }));
      expect([code, detail]).toEqual(['already-subscribed', expect.stringContaining(`POST ${PORTAL}`)]);
    }
    const portal = await dashboard.request('POST', { path: PORTAL, ...asJson({}) });
    expect([portal.status, (await readDocument(portal)).portal_url]).toEqual([
      201,
      expect.stringMatching(/^https:/),
    ]);
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    expect((await buy(dashboard, { plan: 'research' })).status).toBe(201);
  });

  it('is possible again after the customer was deleted at Stripe', async () => {
    const dashboard = await server.openSession({ granted: false });
    await purchase(dashboard, { plan: 'research' });
    const [bought] = billing.subscriptions();
    billing.deleteCustomer(bought?.customer ?? '');
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({
      state: 'canceled',
      outcome: 'customer-deleted',
      access_until: null,
    });
    await purchase(dashboard, { plan: 'basic', chain: 'base' });
    expect(await subscriptionOf(dashboard)).toMatchObject({ outcome: 'granted', chain: 'base' });
    expect(readAlerts()).toEqual([]);
  });
});

it('grants a buyer whose events were lost lasting access when they try to buy again', async () => {
  const dashboard = await server.openSession({ granted: false });
  const { session_id: session } = await readDocument(await buy(dashboard, { plan: 'research' }));
  billing.complete(String(session));
  expect(await readProblemCode(await buy(dashboard, { plan: 'research' }))).toBe('already-subscribed');
  expect(await subscriptionOf(dashboard)).toMatchObject({ outcome: 'granted' });
  expect((await dashboard.request('POST')).status).toBe(201);
});

it('ignores events about customers of another product in the same Stripe account', async () => {
  await purchase(await server.openSession({ granted: false }), { plan: 'research' });
  const [event] = billing.events;
  const foreignCustomer = await billing.createCustomer('', 'of another product');
  const withoutAccount = { ...billing, readCustomerAccount: () => Promise.resolve(null) };
  const other = await startDashboardServer(() => nowMs, {
    billing: withoutAccount,
    configuration: { billing: BILLING },
  });
  for (const account of [null, 'their account']) {
    const body = Buffer.from(
      billing.toBody({ ...event, customer: foreignCustomer, account } as BillingEvent),
    );
    const headers = { 'Stripe-Signature': FAKE_SIGNATURE };
    const answer = await other.gateway.request(WEBHOOK, { method: 'POST', body, headers });
    expect((await readDocument(answer)).outcome).toBe('customer-unknown');
  }
  expect(other.gateway.log()).not.toContain('"alert"');
  await other.dispose();
});

describe('the portal', () => {
  it('is not available for a deleted customer, which does not count as an outage of Stripe', async () => {
    const dashboard = await server.openSession({ granted: false });
    await purchase(dashboard, { plan: 'research' });
    billing.deleteCustomer(billing.subscriptions()[0]?.customer ?? '');
    const { code, detail } = await readProblem(await dashboard.request('POST', { path: PORTAL }));
    expect([code, detail]).toEqual([
      'subscription-inactive',
      'The subscription has ended. Start a new one with POST /api/v1/checkout.',
    ]);
  });

  it('is available only to accounts that have bought something', async () => {
    const dashboard = await server.openSession();
    const { code, detail } = await readProblem(await dashboard.request('POST', { path: PORTAL }));
    expect([code, detail]).toEqual([
      'subscription-inactive',
      'The account has no subscription. Start one with POST /api/v1/checkout.',
    ]);
  });

  it.each([CHECKOUT, PORTAL])('requires a session, and so does the checkout: %s', async (path) => {
    const post = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    expect(await readProblemCode(await server.gateway.request(path, post))).toBe('session-invalid');
  });
});

describe('an event', () => {
  it('that was processed before is answered and has no effect', async () => {
    await purchase(await server.openSession({ granted: false }), { plan: 'research' });
    expect(await sendAll()).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  it('takes effect at once: an upgrade, a cancellation, a change of the chain', async () => {
    const dashboard = await server.openSession({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'basic', chain: 'base' });
    const [bought] = billing.subscriptions();
    if (bought === undefined) throw new Error('there is no subscription');
    const { items, metadata } = bought;
    const update = (change: object): void =>
      billing.change(subscription, 'customer.subscription.updated', change);
    update({ metadata: { ...metadata, chain: 'bitcoin' } });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: 'single-chain', chain: 'bitcoin' });
    update({ items: items.map((each) => ({ ...each, price: PRICES.research })) });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: 'research', chain: null });
    update({ cancelsAtPeriodEnd: true });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({
      cancel_at: '2026-09-19T12:00:00Z',
      access_until: '2026-09-19T12:00:00Z',
    });
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ state: 'canceled', access_until: null });
  });

  it('about a subscription does not change manual grants', async () => {
    const dashboard = await server.openSession();
    const subscription = await purchase(dashboard, { plan: 'basic', chain: 'base' });
    billing.settle(subscription, 'charge.refunded', { refund: 'full' });
    await sendAll();
    const entitlements = await readDocument(await dashboard.request('GET', { path: ENTITLEMENTS_PATH }));
    expect(entitlements).toMatchObject({
      active: true,
      plan: 'research',
      subscription: { outcome: 'refunded' },
    });
  });

  it('with a wrong signature changes nothing', async () => {
    const dashboard = await server.openSession({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    const { key } = await readDocument(await dashboard.request('POST'));
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    const last = billing.events.at(-1);
    expect(await readProblemCode(await send(last, 'mine'))).toBe('webhook-signature-invalid');
    nowMs += 60_000;
    expect(await useKey(String(key))).toBe(307);
    await send(last);
    nowMs += 30_000;
    expect(await useKey(String(key))).toBe(403);
  });

  it('about a subscription that has moved to another account ends the access of its former owner', async () => {
    const dashboard = await server.openSession({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    billing.change(subscription, 'customer.subscription.updated', {
      metadata: { account: 'another account' },
    });
    const event = { ...billing.events.at(-1), account: 'another account' } as BillingEvent;
    expect((await readDocument(await send(event))).outcome).toBe('taken');
    expect(await subscriptionOf(dashboard)).toMatchObject({ outcome: 'absent', access_until: null });
    expect(readAlerts()).toEqual(expect.arrayContaining(['account-foreign', 'absent']));
  });

  it('of another type, mode or customer is answered, and raises an alert if an operator can act', async () => {
    await purchase(await server.openSession({ granted: false }), { plan: 'research' });
    const [event] = billing.events;
    if (event === undefined) throw new Error('there is no event');
    const foreignCustomer = await billing.createCustomer('an unknown account', 'created manually');
    const cases: [Partial<BillingEvent>, string][] = [
      [{ type: 'product.created' }, 'ignored'],
      [{ type: 'toString' }, 'ignored'],
      [{ isLive: true }, 'mode-foreign'],
      [{ customer: null }, 'customer-unknown'],
      [{ customer: foreignCustomer, account: null }, 'account-foreign'],
      [{ customer: foreignCustomer }, 'account-foreign'],
      [{ customer: foreignCustomer, account: '\0' }, 'account-foreign'],
    ];
    for (const [i, [change, outcome]] of cases.entries()) {
      const response = await send({ ...event, id: `evt_other${i}`, ...change });
      expect([response.status, (await readDocument(response)).outcome]).toEqual([200, outcome]);
    }
    expect(readAlerts()).toEqual(['mode-foreign', ...Array.from({ length: 3 }, () => 'account-foreign')]);
  });
});

it('reads Stripe again after a subscription has expired, once per hour and account', async () => {
  const dashboard = await server.openSession({ granted: false });
  const subscription = await purchase(dashboard, { plan: 'research' });
  const { key } = await readDocument(await dashboard.request('POST', { path: KEYS_PATH }));
  billing.renew(subscription, { paid: true }); // its event is lost
  nowMs += 34 * DAY;
  const headers = { 'X-API-Key': String(key) };
  const entitlements = await readDocument(await server.gateway.request(ENTITLEMENTS_PATH, { headers }));
  expect(entitlements.active).toBe(true);
  expect(await useKey(String(key))).toBe(307);
  billing.renew(subscription, { paid: false });
  nowMs += 34 * DAY;
  expect(await useKey(String(key))).toBe(403);
  billing.renew(subscription, { paid: true });
  nowMs += 3_599_000;
  expect(await useKey(String(key))).toBe(403);
  nowMs += 1_000;
  expect(await useKey(String(key))).toBe(307);
});

it('sells nothing without a billing configuration', async () => {
  const plain = await startDashboardServer(() => nowMs);
  const dashboard = await plain.openSession();
  const problems = [
    await dashboard.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) }),
    await dashboard.request('POST', { path: PORTAL }),
    await plain.gateway.request(WEBHOOK, { method: 'POST', body: '{}' }),
  ];
  for (const problem of problems) {
    expect(problem.headers.get('retry-after')).toBeNull();
    expect([problem.status, (await readDocument(problem)).code]).toEqual([503, 'billing-not-configured']);
  }
  for (const path of [CHECKOUT, PORTAL]) {
    const response = await plain.gateway.request(path, { method: 'POST' });
    expect([response.status, (await readDocument(response)).code]).toEqual([401, 'session-invalid']);
  }
  await plain.dispose();
});
