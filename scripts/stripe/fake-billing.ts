import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import type { Payment, Subscription } from '../../gateway/core/billing/subscription.js';
import type { BillingPort, CheckoutOptions, CheckoutSession } from '../../gateway/io/billing/billing-port.js';
import {
  createWorld,
  type Customer,
  type FakeBillingOptions,
  find,
  type World,
} from './fake-billing-world.js';
import { PLAN_IDS, PLANS } from '../../schemas/catalog.js';
import { GatewayError } from '../../gateway/core/problems.js';

/** A payment service in memory for the demo and tests. It stores subscriptions and records events; no money moves. */
export type FakeBilling = BillingPort & {
  /** All events, oldest first. */
  readonly events: readonly BillingEvent[];
  readonly subscriptions: () => readonly Subscription[];
  /** Pays an open checkout session and returns the id of the new subscription. */
  readonly complete: (session: string) => string;
  readonly expire: (session: string) => void;
  /** Returns what a checkout session is for. */
  readonly purchaseOf: (session: string) => Pick<CheckoutOptions, 'plan' | 'chain'>;
  /** Changes a subscription and records an event of this type. */
  readonly change: (subscription: string, type: string, change: Partial<Subscription>) => void;
  /** Starts the next period, paid or not. */
  readonly renew: (subscription: string, options: { readonly paid: boolean }) => void;
  /** Refunds or disputes the last payment of a subscription. */
  readonly settle: (subscription: string, type: string, what: Settlement) => void;
  readonly deleteCustomer: (customer: string) => void;
  /** Returns an event as the request body that the service would send. */
  readonly toBody: (event: BillingEvent) => Uint8Array;
};

/** A refund or dispute of a payment. */
type Settlement = {
  readonly refund?: 'partial' | 'full';
  readonly dispute?: Payment['dispute'];
};

const PERIOD_MS = 30 * 86_400_000;

export function createFakeBilling(options: FakeBillingOptions): FakeBilling {
  const world = createWorld(options);
  return {
    events: world.events,
    subscriptions: () => [...world.subscriptions.values()],
    ...createPort(world, options),
    ...createActions(world, options),
    purchaseOf: (session) => find(world.sessions, session).options,
    toBody: (event) => Buffer.from(JSON.stringify(event)),
  };
}

/** Returns the actions of customers, banks and the payment service's staff. */
function createActions(
  { customers, subscriptions, sessions, newId, recordEvent }: World,
  { now, prices, isLive = false }: FakeBillingOptions,
): Pick<FakeBilling, 'complete' | 'expire' | 'change' | 'renew' | 'settle' | 'deleteCustomer'> {
  function change(id: string, type: string, to: Partial<Subscription>): void {
    const before = find(subscriptions, id);
    subscriptions.set(id, { ...before, ...to });
    recordEvent(type, before.customer);
  }
  return {
    change,
    complete(id) {
      const session = find(sessions, id);
      if (session.state !== 'open') throw new Error('the checkout session is not open');
      sessions.set(id, { ...session, state: 'complete', url: null });
      const subscription = newId('sub');
      subscriptions.set(
        subscription,
        toSubscription(subscription, session.options, { now: now(), prices, isLive }),
      );
      for (const type of ['customer.subscription.created', 'invoice.paid', 'checkout.session.completed']) {
        recordEvent(type, session.options.customer);
      }
      return subscription;
    },
    expire(id) {
      sessions.set(id, { ...find(sessions, id), state: 'expired', url: null });
    },
    renew(id, { paid }) {
      const { items, payments } = find(subscriptions, id);
      change(id, paid ? 'invoice.paid' : 'invoice.payment_failed', {
        status: paid ? 'active' : 'past_due',
        payments: paid ? [...payments, toPayment(items[0]?.periodEndMs ?? 0)] : payments,
        items: items.map(({ price, periodEndMs }) => ({
          price,
          periodStartMs: periodEndMs,
          periodEndMs: periodEndMs + PERIOD_MS,
        })),
      });
    },
    settle(id, type, what) {
      const { payments } = find(subscriptions, id);
      change(id, type, { payments: [...payments.slice(0, -1), settle(payments.at(-1), what)] });
    },
    deleteCustomer(id) {
      find(customers, id).isDeleted = true;
      for (const each of subscriptions.values()) {
        if (each.customer === id) subscriptions.set(each.id, { ...each, status: 'canceled' });
      }
      recordEvent('customer.deleted', id);
    },
  };
}

/** Returns the subscription of a completed session, paid for one period from now. */
function toSubscription(
  id: string,
  { customer, account, plan, chain }: CheckoutOptions,
  {
    now,
    prices,
    isLive,
  }: { readonly now: number; readonly prices: FakeBillingOptions['prices']; readonly isLive: boolean },
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
    payments: [toPayment(now)],
  };
}

function settle(payment: Payment | undefined, { refund, dispute }: Settlement): Payment {
  if (payment === undefined) throw new Error('the subscription has no payment');
  const { cents, refundedCents } = payment;
  return {
    ...payment,
    refundedCents: refund === undefined ? refundedCents : refund === 'full' ? cents : 1,
    dispute: dispute ?? payment.dispute,
  };
}

function toPayment(paidAtMs: number): Payment {
  return { paidAtMs, cents: 4_900, refundedCents: 0, dispute: 'none' };
}

/** Signature header of the fake's events. */
export const FAKE_SIGNATURE = 'signed by the fake';

const toSession = ({ id, state, url }: CheckoutSession): CheckoutSession => ({ id, state, url });

/** Returns the API that the gateway calls. */
function createPort(
  { customers, subscriptions, sessions, charges, newId, once }: World,
  { prices, isLive = false, pageUrl = (page, id) => `https://${page}.example.com/${id}` }: FakeBillingOptions,
): BillingPort {
  const sessionOf = (id: string): CheckoutSession => toSession(find(sessions, id));
  const customerOf = async (id: string): Promise<Customer> => Promise.resolve(find(customers, id));
  const createCustomer = (account: string): string => {
    const id = newId('cus');
    customers.set(id, { account, isDeleted: false });
    return id;
  };
  const createSession = (options: CheckoutOptions): string => {
    const id = newId('cs');
    sessions.set(id, { id, state: 'open', url: pageUrl('pay', id), options });
    return id;
  };
  return {
    createCustomer: async (account, key) => Promise.resolve(once(key, () => createCustomer(account))),
    async readCustomerAccount(id) {
      const { account, isDeleted } = await customerOf(id);
      return isDeleted ? null : account;
    },
    async readCustomer(id) {
      const { isDeleted } = await customerOf(id);
      const own = [...subscriptions.values()].filter(({ customer }) => customer === id && !isDeleted);
      return { isDeleted, subscriptions: own };
    },
    readChargeCustomer: async (charge) => Promise.resolve(charges.get(charge) ?? null),
    createCheckout: async (options) =>
      Promise.resolve(sessionOf(once(options.idempotencyKey, () => createSession(options)))),
    readCheckout: async (id) => Promise.resolve(sessionOf(id)),
    async expireCheckout(id) {
      const session = await Promise.resolve(find(sessions, id));
      if (session.state === 'open') sessions.set(id, { ...session, state: 'expired', url: null });
    },
    createPortal: async (customer) => Promise.resolve(pageUrl('portal', customer)),
    async *listSubscriptions() {
      yield* await Promise.resolve([...subscriptions.values()].map((each) => ({ ...each, payments: [] })));
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
    findMissingPermissions: async () => Promise.resolve([]),
    listWebhooks: async () => Promise.resolve([]),
    verifyEvent(body, signature) {
      if (signature !== FAKE_SIGNATURE) throw new GatewayError('webhook-signature-invalid');
      return JSON.parse(Buffer.from(body).toString()) as BillingEvent; // written by `toBody`, as its signature shows
    },
  };
}
