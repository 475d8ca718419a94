import type { PlanId } from '../schemas/catalog.js';
import { eventRuleOf, type BillingEvent } from '../gateway/core/billing/stripe-events.js';
import type { Subscription } from '../gateway/core/billing/subscription.js';
import { GatewayError } from '../gateway/core/problems.js';
import type { CheckoutSession, CheckoutTerms } from '../gateway/io/billing/billing-port.js';

/** What the fake needs; `now` is in milliseconds since the epoch. */
export type FakeBillingTerms = {
  readonly now: () => number;
  /** The price by which each plan is sold. */
  readonly prices: Readonly<Record<PlanId, string>>;
  readonly isLive?: boolean;
};

type Session = CheckoutSession & { readonly terms: CheckoutTerms };
/** A customer, and the account that was written on it. */
export type Customer = { readonly account: string; isDeleted: boolean };

/** What the fake keeps. */
export type World = ReturnType<typeof createWorld>;

/** A world in which nothing was sold yet. */
export function createWorld({ isLive = false }: FakeBillingTerms) {
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

/** Something that was made. @throws GatewayError as Stripe would refuse. */
export function find<T>(all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found === undefined) throw new GatewayError('billing-unavailable', { detail: 'no such thing' });
  return found;
}
