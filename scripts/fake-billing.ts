import { PLAN_IDS, PLANS, type PlanId } from '../schemas/catalog.js';
import { eventRuleOf, type BillingEvent } from '../gateway/core/billing/stripe-events.js';
import type { Payment, Subscription } from '../gateway/core/billing/subscription.js';
import { GatewayError } from '../gateway/core/problems.js';
import type { BillingPort, CheckoutSession, CheckoutTerms } from '../gateway/io/billing/billing-port.js';

/** A payment service in memory, for the demo and for tests: it keeps what it sells, and tells it in events. No money moves. */
export type FakeBilling = BillingPort & {
  /** Everything that happened, the oldest first. */
  readonly events: readonly BillingEvent[];
  /** What is sold by now. */
  readonly subscriptions: () => readonly Subscription[];
  /** The customer pays in an open session; resolves the new subscription's id. */
  readonly complete: (session: string) => string;
  readonly expire: (session: string) => void;
  /** Changes a subscription as Stripe would, and tells it by an event of this type. */
  readonly change: (subscription: string, type: string, change: Partial<Subscription>) => void;
  /** The next period begins, paid or not. */
  readonly renew: (subscription: string, terms: { readonly paid: boolean }) => void;
  readonly settle: (subscription: string, type: string, payment: Partial<Payment>) => void;
  readonly deleteCustomer: (customer: string) => void;
  /** An event as it would be sent. */
  readonly toBody: (event: BillingEvent) => Uint8Array;
};

/** What the fake needs; `now` is in milliseconds since the epoch. */
export type FakeBillingTerms = {
  readonly now: () => number;
  /** The price by which each plan is sold. */
  readonly prices: Readonly<Record<PlanId, string>>;
  readonly isLive?: boolean;
};

/** The header that the fake's events are signed with. */
export const FAKE_SIGNATURE = 'signed by the fake';
const PERIOD_MS = 30 * 86_400_000;

type Session = CheckoutSession & { readonly terms: CheckoutTerms };
type Customer = { readonly account: string; isDeleted: boolean };

/** A payment service in memory. */
export function createFakeBilling(terms: FakeBillingTerms): FakeBilling {
  const world = createWorld(terms);
  return {
    events: world.events,
    subscriptions: () => [...world.subscriptions.values()],
    ...createSide(world, terms),
    ...createHand(world, terms),
    toBody: (event) => Buffer.from(JSON.stringify(event)),
  };
}

/** What the fake keeps. */
type World = ReturnType<typeof createWorld>;

function createWorld({ isLive = false }: FakeBillingTerms) {
  const customers = new Map<string, Customer>();
  const subscriptions = new Map<string, Subscription>();
  const made = new Map<string, string>();
  const charges = new Map<string, string>();
  const events: BillingEvent[] = [];
  let count = 0;
  const newId = (kind: string): string => `${kind}_fake${(count += 1)}`;
  return {
    customers,
    subscriptions,
    sessions: new Map<string, Session>(),
    charges,
    events,
    newId,
    /** What was made for a key, or is made now. */
    once: (key: string, make: () => string): string => {
      const before = made.get(key) ?? make();
      made.set(key, before);
      return before;
    },
    tell: (type: string, customer: string): void => {
      const isOfCharge = eventRuleOf(type)?.source === 'charge';
      const charge = newId('ch');
      charges.set(charge, customer);
      events.push({
        id: newId('evt'),
        type,
        isLive,
        customer: isOfCharge ? null : customer,
        charge: isOfCharge ? charge : null,
        account: isOfCharge ? null : (customers.get(customer)?.account ?? null),
      });
    },
  };
}

function find<T>(all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found === undefined) throw new GatewayError('billing-unavailable', { detail: 'no such thing' });
  return found;
}

/** The side that the gateway asks. */
function createSide(
  { customers, subscriptions, sessions, charges, newId, once }: World,
  { prices, isLive = false }: FakeBillingTerms,
): BillingPort {
  const sessionOf = (id: string): CheckoutSession => {
    const { state, url } = find(sessions, id);
    return { id, state, url };
  };
  const createCustomer = (account: string): string => {
    const id = newId('cus');
    customers.set(id, { account, isDeleted: false });
    return id;
  };
  const createSession = (terms: CheckoutTerms): string => {
    const id = newId('cs');
    sessions.set(id, { id, state: 'open', url: `https://pay.example.com/${id}`, terms });
    return id;
  };
  return {
    createCustomer: async (account, key) => Promise.resolve(once(key, () => createCustomer(account))),
    async readCustomer(id) {
      const { account, isDeleted } = await Promise.resolve(find(customers, id));
      if (isDeleted) return { isDeleted, account: null, subscriptions: [] };
      const own = [...subscriptions.values()].filter(({ customer }) => customer === id);
      return { isDeleted, account, subscriptions: own };
    },
    readChargeCustomer: async (charge) => Promise.resolve(charges.get(charge) ?? null),
    createCheckout: async (terms) =>
      Promise.resolve(sessionOf(once(terms.idempotencyKey, () => createSession(terms)))),
    readCheckout: async (id) => Promise.resolve(sessionOf(id)),
    async expireCheckout(id) {
      const session = await Promise.resolve(find(sessions, id));
      if (session.state === 'open') sessions.set(id, { ...session, state: 'expired', url: null });
    },
    createPortal: async (customer) => Promise.resolve(`https://portal.example.com/${customer}`),
    async *listSubscriptions() {
      yield* await Promise.resolve([...subscriptions.values()]);
    },
    async readPrice(price) {
      const plan = PLAN_IDS.find((each) => prices[each] === price);
      const cents = plan === undefined ? null : PLANS[plan].monthlyCents;
      return Promise.resolve({
        isActive: true,
        isLive,
        currency: 'usd',
        cents,
        interval: 'month',
        intervalCount: 1,
      });
    },
    listWebhooks: async () => Promise.resolve([]),
    verifyEvent(body, signature) {
      if (signature !== FAKE_SIGNATURE) throw new GatewayError('webhook-signature-invalid');
      return JSON.parse(Buffer.from(body).toString()) as BillingEvent; // our own, by its signature
    },
  };
}

/** What customers, banks and people at the payment service do. */
function createHand(
  { customers, subscriptions, sessions, newId, tell }: World,
  { now, prices, isLive = false }: FakeBillingTerms,
): Pick<FakeBilling, 'complete' | 'expire' | 'change' | 'renew' | 'settle' | 'deleteCustomer'> {
  function change(id: string, type: string, to: Partial<Subscription>): void {
    const before = find(subscriptions, id);
    subscriptions.set(id, { ...before, ...to });
    tell(type, before.customer);
  }
  return {
    change,
    complete(id) {
      const session = find(sessions, id);
      if (session.state !== 'open') throw new Error('the session is over');
      sessions.set(id, { ...session, state: 'complete', url: null });
      const subscription = newId('sub');
      subscriptions.set(
        subscription,
        toSubscription(subscription, session.terms, { now: now(), prices, isLive }),
      );
      for (const type of ['customer.subscription.created', 'invoice.paid', 'checkout.session.completed']) {
        tell(type, session.terms.customer);
      }
      return subscription;
    },
    expire(id) {
      sessions.set(id, { ...find(sessions, id), state: 'expired', url: null });
    },
    renew(id, { paid }) {
      const { items } = find(subscriptions, id);
      change(id, paid ? 'invoice.paid' : 'invoice.payment_failed', {
        status: paid ? 'active' : 'past_due',
        payments: [],
        items: items.map(({ price, periodEndMs }) => ({
          price,
          periodStartMs: periodEndMs,
          periodEndMs: periodEndMs + PERIOD_MS,
        })),
      });
    },
    settle(id, type, payment) {
      const [before = { refund: 'none', dispute: 'none' }] = find(subscriptions, id).payments;
      change(id, type, { payments: [{ ...before, ...payment }] });
    },
    deleteCustomer(id) {
      find(customers, id).isDeleted = true;
      for (const each of subscriptions.values()) {
        if (each.customer === id) subscriptions.set(each.id, { ...each, status: 'canceled' });
      }
      tell('customer.deleted', id);
    },
  };
}

/** The subscription that a session leads to: paid for a period from now on. */
function toSubscription(
  id: string,
  { customer, account, plan, chain }: CheckoutTerms,
  {
    now,
    prices,
    isLive,
  }: { readonly now: number; readonly prices: FakeBillingTerms['prices']; readonly isLive: boolean },
): Subscription {
  return {
    id,
    customer,
    status: 'active',
    isLive,
    currency: 'usd',
    metadata: { account, plan, ...(chain === null ? {} : { chain }) },
    createdMs: now,
    items: [{ price: prices[plan], periodStartMs: now, periodEndMs: now + PERIOD_MS }],
    cancelAtMs: null,
    cancelsAtPeriodEnd: false,
    payments: [],
  };
}
