import { bundlePath } from '../../schemas/paths.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/fake-billing.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import {
  asJson,
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../fixtures/dashboard.js';
import { readDocument, readProblem, readProblemCode, type AnyDocument } from '../fixtures/http-answers.js';

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
  dashboard.ask('POST', { path: CHECKOUT, ...asJson(what) });

const send = (event: BillingEvent | undefined, signature = FAKE_SIGNATURE): Promise<Response> =>
  server.gateway.ask(WEBHOOK, {
    method: 'POST',
    body: event === undefined ? '' : Buffer.from(billing.toBody(event)),
    headers: { 'Stripe-Signature': signature, 'Content-Type': 'application/json' },
  });

/** Sends every event that there is, the ones that were sent before too; resolves what came of each. */
async function sendAll(): Promise<unknown[]> {
  const outcomes = [];
  for (const event of billing.events) outcomes.push((await readDocument(await send(event))).outcome);
  return outcomes;
}

async function subscriptionOf(dashboard: Dashboard): Promise<AnyDocument | null> {
  const { subscription } = await readDocument(await dashboard.ask('GET', { path: ENTITLEMENTS_PATH }));
  return subscription as AnyDocument | null; // as the schema has it
}

/** Buys a plan to the end; resolves the subscription. */
async function purchase(dashboard: Dashboard, what: object): Promise<string> {
  const { session_id: session } = await readDocument(await buy(dashboard, what));
  const subscription = billing.complete(String(session));
  await sendAll();
  return subscription;
}

/** What somebody was told to look at, in order. */
const readAlerts = (): unknown[] =>
  server.gateway
    .log()
    .split('\n')
    .filter((line) => line.includes('"alert"'))
    .map((line) => (JSON.parse(line) as AnyDocument)['alert']);

const useKey = async (key: string): Promise<number> =>
  (await server.gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } })).status;

describe('a purchase', () => {
  it('gives access with the first event, and none before', async () => {
    const dashboard = await server.open({ granted: false });
    expect(await readProblemCode(await dashboard.ask('POST'))).toBe('subscription-inactive');
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
    const { key } = await readDocument(await dashboard.ask('POST'));
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

  it('gives access to who waits for it although every event was lost', async () => {
    const dashboard = await server.open({ granted: false });
    const { session_id: session } = await readDocument(await buy(dashboard, { plan: 'pro' }));
    expect(await subscriptionOf(dashboard)).toBeNull();
    billing.complete(String(session));
    nowMs += 6_000;
    expect(await subscriptionOf(dashboard)).toMatchObject({ state: 'active', plan: 'research' });
    expect((await dashboard.ask('POST')).status).toBe(201);
  });

  it.each([
    ['basic', { chain: 'base' }, 'single-chain'],
    ['pro', {}, 'research'],
    ['research', { chain: null }, 'research'],
  ])('can be asked for by another name: %s', async (plan, more, id) => {
    const dashboard = await server.open({ granted: false });
    await purchase(dashboard, { plan, ...more });
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: id });
  });

  it.each([
    [{}, /plan is one of single-chain, basic, research, pro/],
    [{ plan: 'gold' }, /plan is one of/],
    [{ plan: 'single-chain' }, /Single Chain needs chain, one of bitcoin/],
    [{ plan: 'basic', chain: 'dogecoin' }, /needs chain/],
    [{ plan: 'basic', chain: ['base'] }, /needs chain/],
    [{ plan: 'research', chain: 'base' }, /Research is for all chains; leave chain away/],
    [{ plan: 'research', price: 1 }, /the body may have plan, chain and no more/],
  ])('is refused with what is wrong: %j', async (what, detail) => {
    const { code, detail: said } = await readProblem(await buy(await server.open(), what));
    expect([code, said]).toEqual(['request-malformed', expect.stringMatching(detail)]);
    expect(billing.subscriptions()).toEqual([]);
  });

  it('is one session for a double click, and the same again while it is open', async () => {
    const dashboard = await server.open({ granted: false });
    const answers = await Promise.all([1, 2, 3].map(() => buy(dashboard, { plan: 'research' })));
    answers.push(await buy(dashboard, { plan: 'pro' }));
    const sessions = await Promise.all(answers.map(async (each) => (await readDocument(each)).session_id));
    expect(new Set(sessions).size).toBe(1);
  });

  it('of something else ends the session before, also when both are asked for at once', async () => {
    const dashboard = await server.open({ granted: false });
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

  it('gets a new session when the one before has expired', async () => {
    const dashboard = await server.open({ granted: false });
    const before = await readDocument(await buy(dashboard, { plan: 'research' }));
    billing.expire(String(before.session_id));
    const after = await readDocument(await buy(dashboard, { plan: 'research' }));
    expect(after.session_id).not.toBe(before.session_id);
  });

  it('by a subscriber is refused, whatever the state, until the subscription is over', async () => {
    const dashboard = await server.open({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    for (const status of ['active', 'past_due', 'unpaid', 'paused', 'incomplete']) {
      billing.change(subscription, 'customer.subscription.updated', { status });
      const { code, detail } = await readProblem(await buy(dashboard, { plan: 'research' }));
      expect([code, detail]).toEqual(['already-subscribed', expect.stringContaining(`POST ${PORTAL}`)]);
    }
    const portal = await dashboard.ask('POST', { path: PORTAL, ...asJson({}) });
    expect([portal.status, (await readDocument(portal)).portal_url]).toEqual([
      201,
      expect.stringMatching(/^https:/),
    ]);
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    expect((await buy(dashboard, { plan: 'research' })).status).toBe(201);
  });

  it('is possible again for a customer that was deleted', async () => {
    const dashboard = await server.open({ granted: false });
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

it('who bought and whose events are lost has access once he tries to buy again, and keeps it', async () => {
  const dashboard = await server.open({ granted: false });
  const { session_id: session } = await readDocument(await buy(dashboard, { plan: 'research' }));
  billing.complete(String(session));
  expect(await readProblemCode(await buy(dashboard, { plan: 'research' }))).toBe('already-subscribed');
  expect(await subscriptionOf(dashboard)).toMatchObject({ outcome: 'granted' });
  expect((await dashboard.ask('POST')).status).toBe(201);
});

it('an event of a customer of something else that is sold by the same account at Stripe is passed over', async () => {
  await purchase(await server.open({ granted: false }), { plan: 'research' });
  const [event] = billing.events;
  const stranger = await billing.createCustomer('', 'of something else');
  const theirs = { ...billing, readCustomerAccount: () => Promise.resolve(null) };
  const other = await startDashboardServer(() => nowMs, {
    billing: theirs,
    configuration: { billing: BILLING },
  });
  for (const account of [null, 'their account']) {
    const body = Buffer.from(billing.toBody({ ...event, customer: stranger, account } as BillingEvent));
    const headers = { 'Stripe-Signature': FAKE_SIGNATURE };
    const answer = await other.gateway.ask(WEBHOOK, { method: 'POST', body, headers });
    expect((await readDocument(answer)).outcome).toBe('customer-unknown');
  }
  expect(other.gateway.log()).not.toContain('"alert"');
  await other.dispose();
});

describe('the portal', () => {
  it('is not for a customer that was deleted, and that is no failure of Stripe', async () => {
    const dashboard = await server.open({ granted: false });
    await purchase(dashboard, { plan: 'research' });
    billing.deleteCustomer(billing.subscriptions()[0]?.customer ?? '');
    const { code, detail } = await readProblem(await dashboard.ask('POST', { path: PORTAL }));
    expect([code, detail]).toEqual(['subscription-inactive', 'what the account had bought is over']);
  });

  it('is for those who have bought something', async () => {
    const dashboard = await server.open();
    const { code, detail } = await readProblem(await dashboard.ask('POST', { path: PORTAL }));
    expect([code, detail]).toEqual(['subscription-inactive', 'the account has bought nothing here yet']);
  });

  it.each([CHECKOUT, PORTAL])('and the checkout are for sessions alone: %s', async (path) => {
    const post = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    expect(await readProblemCode(await server.gateway.ask(path, post))).toBe('session-invalid');
  });
});

describe('an event', () => {
  it('that was dealt with is answered and does nothing', async () => {
    await purchase(await server.open({ granted: false }), { plan: 'research' });
    expect(await sendAll()).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  it('takes effect at once: an upgrade, a cancellation, a change of the chain', async () => {
    const dashboard = await server.open({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'basic', chain: 'base' });
    const [bought] = billing.subscriptions();
    if (bought === undefined) throw new Error('something was bought');
    const { items, metadata } = bought;
    const tell = (change: object): void =>
      billing.change(subscription, 'customer.subscription.updated', change);
    tell({ metadata: { ...metadata, chain: 'bitcoin' } });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: 'single-chain', chain: 'bitcoin' });
    tell({ items: items.map((each) => ({ ...each, price: PRICES.research })) });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ plan: 'research', chain: null });
    tell({ cancelsAtPeriodEnd: true });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({
      cancel_at: '2026-09-19T12:00:00Z',
      access_until: '2026-09-19T12:00:00Z',
    });
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    await sendAll();
    expect(await subscriptionOf(dashboard)).toMatchObject({ state: 'canceled', access_until: null });
  });

  it('of one subscription leaves those bought beside it alone, and manual grants', async () => {
    const dashboard = await server.open();
    const subscription = await purchase(dashboard, { plan: 'basic', chain: 'base' });
    billing.settle(subscription, 'charge.refunded', { refund: 'full' });
    await sendAll();
    const entitlements = await readDocument(await dashboard.ask('GET', { path: ENTITLEMENTS_PATH }));
    expect(entitlements).toMatchObject({
      active: true,
      plan: 'research',
      subscription: { outcome: 'refunded' },
    });
  });

  it('with a signature that is not right changes nothing', async () => {
    const dashboard = await server.open({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    const { key } = await readDocument(await dashboard.ask('POST'));
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    const last = billing.events.at(-1);
    expect(await readProblemCode(await send(last, 'mine'))).toBe('webhook-signature-invalid');
    nowMs += 60_000;
    expect(await useKey(String(key))).toBe(307);
    await send(last);
    nowMs += 30_000;
    expect(await useKey(String(key))).toBe(403);
  });

  it('of a subscription that names another account by now ends what its owner had by it', async () => {
    const dashboard = await server.open({ granted: false });
    const subscription = await purchase(dashboard, { plan: 'research' });
    billing.change(subscription, 'customer.subscription.updated', { metadata: { account: 'somebody else' } });
    const event = { ...billing.events.at(-1), account: 'somebody else' } as BillingEvent;
    expect((await readDocument(await send(event))).outcome).toBe('taken');
    expect(await subscriptionOf(dashboard)).toMatchObject({ outcome: 'absent', access_until: null });
    expect(readAlerts()).toEqual(expect.arrayContaining(['account-foreign', 'absent']));
  });

  it('of another kind, another mode or another customer is answered, and somebody is told where that helps', async () => {
    await purchase(await server.open({ granted: false }), { plan: 'research' });
    const [event] = billing.events;
    if (event === undefined) throw new Error('something happened');
    const stranger = await billing.createCustomer('nobody here', 'by hand');
    const cases: [Partial<BillingEvent>, string][] = [
      [{ type: 'product.created' }, 'ignored'],
      [{ type: 'toString' }, 'ignored'],
      [{ isLive: true }, 'mode-foreign'],
      [{ customer: null }, 'customer-unknown'],
      [{ customer: stranger, account: null }, 'account-foreign'],
      [{ customer: stranger }, 'account-foreign'],
      [{ customer: stranger, account: '\0' }, 'account-foreign'],
    ];
    for (const [i, [change, outcome]] of cases.entries()) {
      const response = await send({ ...event, id: `evt_other${i}`, ...change });
      expect([response.status, (await readDocument(response)).outcome]).toEqual([200, outcome]);
    }
    expect(readAlerts()).toEqual(['mode-foreign', ...Array.from({ length: 3 }, () => 'account-foreign')]);
  });
});

it('reads Stripe again when what was bought has ended, once an hour for an account', async () => {
  const dashboard = await server.open({ granted: false });
  const subscription = await purchase(dashboard, { plan: 'research' });
  const { key } = await readDocument(await dashboard.ask('POST', { path: KEYS_PATH }));
  billing.renew(subscription, { paid: true }); // its event is lost
  nowMs += 34 * DAY;
  const headers = { 'X-API-Key': String(key) };
  const entitlements = await readDocument(await server.gateway.ask(ENTITLEMENTS_PATH, { headers }));
  expect(entitlements.active).toBe(true);
  expect(await useKey(String(key))).toBe(307);
  billing.renew(subscription, { paid: false });
  nowMs += 34 * DAY;
  expect(await useKey(String(key))).toBe(403);
  billing.renew(subscription, { paid: true });
  billing.renew(subscription, { paid: true });
  nowMs += 3_599_000;
  expect(await useKey(String(key))).toBe(403);
  nowMs += 1_000;
  expect(await useKey(String(key))).toBe(307);
});

it('sells nothing where there is no one to take the money', async () => {
  const plain = await startDashboardServer(() => nowMs);
  const dashboard = await plain.open();
  const problems = [
    await dashboard.ask('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) }),
    await dashboard.ask('POST', { path: PORTAL }),
    await plain.gateway.ask(WEBHOOK, { method: 'POST', body: '{}' }),
  ];
  for (const problem of problems) {
    expect(problem.headers.get('retry-after')).toBeNull();
    expect([problem.status, (await readDocument(problem)).code]).toEqual([503, 'billing-not-configured']);
  }
  for (const path of [CHECKOUT, PORTAL]) {
    const stranger = await plain.gateway.ask(path, { method: 'POST' });
    expect([stranger.status, (await readDocument(stranger)).code]).toEqual([401, 'session-invalid']);
  }
  await plain.dispose();
});
