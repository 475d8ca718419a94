import { createMemoryStore } from '../support/stores/memory-store.js';
import { createFakeBilling, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { asJson, startDashboardServer, type DashboardServer } from '../support/gateway/dashboard.js';
import { readDocument } from '../support/gateway/http-answers.js';
import { sign, withRealSignatures, toStripeEvent } from '../support/stripe/signed-events.js';

const PERSONAL = 'planted personal data';
/** Personal data that Stripe has about a customer, by field. */
const PERSON = {
  email: `${PERSONAL}@example.com`,
  name: PERSONAL,
  phone: PERSONAL,
  address: { city: PERSONAL, line1: PERSONAL, country: PERSONAL },
  tax_ids: [PERSONAL],
  invoice: `in_${PERSONAL}`,
  card: { last4: PERSONAL },
  payment_method: PERSONAL,
};

const nowMs = Date.parse('2026-08-20T12:00:00Z');
const accountsStore = createMemoryStore();
let billing: FakeBilling;
let server: DashboardServer;

/** A fake of Stripe whose responses contain personal data that the gateway does not need. */
function withPersonalData(fake: FakeBilling): FakeBilling {
  return {
    ...fake,
    async readCustomer(customer) {
      const found = await fake.readCustomer(customer);
      const more = { ...PERSON, metadata: PERSON };
      const subscriptions = found.subscriptions.map((each) => ({
        ...each,
        ...PERSON,
        metadata: { ...each.metadata, email: PERSON.email, name: PERSONAL },
        items: each.items.map((item) => ({ ...item, ...PERSON })),
      }));
      return { ...more, ...found, subscriptions };
    },
    async createCheckout(options) {
      return { ...PERSON, ...(await fake.createCheckout(options)) };
    },
    async readCheckout(session) {
      return { ...PERSON, ...(await fake.readCheckout(session)) };
    },
  };
}

beforeAll(async () => {
  const now = (): number => nowMs;
  billing = createFakeBilling({ now, prices: PRICES });
  server = await startDashboardServer(now, {
    billing: withPersonalData(withRealSignatures(billing, now)),
    accountsStore,
    configuration: { billing: BILLING },
  });
});
afterAll(() => server.dispose());

/** Sends all events, with personal data added as Stripe includes it, and returns the statuses. */
async function sendAll(): Promise<number[]> {
  const statuses = [];
  for (const event of billing.events) {
    const stripeEvent = toStripeEvent(event);
    const body = JSON.stringify({ ...stripeEvent, request: PERSON }).replace(
      '"object":{',
      `"object":{${JSON.stringify(PERSON).slice(1, -1)},`,
    );
    const headers = { 'Stripe-Signature': sign(body, { nowMs }) };
    statuses.push(
      (await server.gateway.request('/api/v1/stripe/webhook', { method: 'POST', body, headers })).status,
    );
  }
  return statuses;
}

/** Returns the path of every member of a document, with ids replaced by what they identify. */
function pathsIn(value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => pathsIn(each, `${at}[]`));
  const members = Object.entries(value);
  if (members.length === 0) return [at];
  return members.flatMap(([name, each]) => {
    const id = at.endsWith('.keys') ? '{key}' : name.replace(/^sub_.*/, '{subscription}');
    return pathsIn(each, `${at}.${id}`);
  });
}

it('stores only the account, the customer id, keys, the open checkout, event ids and subscription facts of a customer', async () => {
  const dashboard = await server.openSession({ granted: false });
  const post = (path: string, what: object): Promise<Response> =>
    dashboard.request('POST', { path, ...asJson(what) });
  const { session_id: session } = await readDocument(
    await post('/api/v1/checkout', { plan: 'single-chain', chain: 'base' }),
  );
  const subscription = billing.complete(String(session));
  billing.change(subscription, 'customer.subscription.updated', { cancelsAtPeriodEnd: true });
  expect(new Set(await sendAll())).toEqual(new Set([200]));
  const { key } = await readDocument(await post('/api/v1/keys', { label: 'mine' }));
  expect((await post('/api/v1/checkout/portal', {})).status).toBe(201);

  const paths = new Set<string>();
  const texts: string[] = [];
  for await (const { key: name } of accountsStore.list('')) {
    const text = Buffer.from((await accountsStore.get(name))?.bytes ?? []).toString();
    texts.push(text);
    for (const each of pathsIn(JSON.parse(text), name.split('/')[0] ?? '')) paths.add(each);
  }
  const subscriptionFacts = [
    'cancel_at',
    'chain',
    'outcome',
    'period_end',
    'plan',
    'since',
    'status',
    'until',
  ];
  expect([...paths].sort()).toEqual([
    'accounts.account',
    'accounts.billing.checkout.attempt',
    ...['chain', 'id', 'opened_at', 'plan'].map((each) => `accounts.billing.checkout.session.${each}`),
    'accounts.billing.customer',
    'accounts.billing.events[]',
    ...subscriptionFacts.map((each) => `accounts.billing.subscriptions.{subscription}.${each}`),
    ...['created_at', 'label', 'revoked_at'].map((each) => `accounts.keys.{key}.${each}`),
    'accounts.schema',
    'keys.account',
    'keys.schema',
    'keys.sha256',
  ]);
  const stored = texts.join('\n');
  for (const secret of [PERSONAL, String(key), 'https:', PRICES['single-chain'], BILLING.secretKey]) {
    expect(stored).not.toContain(secret);
  }
});
