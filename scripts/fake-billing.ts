import type { BillingEvent } from '../gateway/core/billing/stripe-events.js';
import type { Payment, Subscription } from '../gateway/core/billing/subscription.js';
import type { BillingPort, CheckoutTerms } from '../gateway/io/billing/billing-port.js';
import { createSide } from './fake-billing-side.js';
import { createWorld, find, type FakeBillingTerms, type World } from './fake-billing-world.js';

export { FAKE_SIGNATURE } from './fake-billing-side.js';

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
  /** What becomes of the last payment of a subscription. */
  readonly settle: (subscription: string, type: string, what: Settlement) => void;
  readonly deleteCustomer: (customer: string) => void;
  /** An event as it would be sent. */
  readonly toBody: (event: BillingEvent) => Uint8Array;
};

/** What can become of a payment. */
export type Settlement = {
  readonly refund?: 'partial' | 'full';
  readonly dispute?: Payment['dispute'];
};

const PERIOD_MS = 30 * 86_400_000;

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
    payments: [toPayment(now)],
  };
}

function settle(payment: Payment | undefined, { refund, dispute }: Settlement): Payment {
  if (payment === undefined) throw new Error('nothing was paid');
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
