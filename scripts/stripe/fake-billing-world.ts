import type { PlanId } from '../../schemas/catalog.js';
import { eventRuleOf, type BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import type { Subscription } from '../../gateway/core/billing/subscription.js';
import { GatewayError } from '../../gateway/core/problems.js';
import type { CheckoutSession, CheckoutOptions } from '../../gateway/io/billing/billing-port.js';

/** Options for `createFakeBilling`. `now` returns milliseconds since the epoch. */
export type FakeBillingOptions = {
  readonly now: () => number;
  /** Price id of each plan. */
  readonly prices: Readonly<Record<PlanId, string>>;
  readonly isLive?: boolean;
  /** Returns the address of a payment page or of a portal; by default one that does not exist. */
  readonly pageUrl?: (page: PaymentPage, id: string) => string;
};

/** A page of a payment service: `pay` belongs to a checkout session, `portal` to a customer. */
type PaymentPage = 'pay' | 'portal';

type StoredCheckout = CheckoutSession & { readonly options: CheckoutOptions };
/** A customer with the account in its metadata. */
export type Customer = { readonly account: string; isDeleted: boolean };

/** State of the fake payment service. */
export type World = ReturnType<typeof createWorld>;

/** Returns an empty state. */
export function createWorld({ isLive = false }: FakeBillingOptions) {
  const customers = new Map<string, Customer>();
  const subscriptions = new Map<string, Subscription>();
  const idByKey = new Map<string, string>();
  const charges = new Map<string, string>();
  const events: BillingEvent[] = [];
  let count = 0;
  const newId = (kind: string): string => `${kind}_fake${(count += 1)}`;
  return {
    customers,
    subscriptions,
    sessions: new Map<string, StoredCheckout>(),
    charges,
    events,
    newId,
    /** Returns the id created for an idempotency key, or creates one. */
    once: (key: string, make: () => string): string => {
      const id = idByKey.get(key) ?? make();
      idByKey.set(key, id);
      return id;
    },
    recordEvent: (type: string, customer: string): void => {
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

/** Returns an object by its id. @throws GatewayError as for an id that Stripe does not know. */
export function find<T>(objects: ReadonlyMap<string, T>, id: string): T {
  const found = objects.get(id);
  if (found === undefined) throw new GatewayError('billing-unavailable', { detail: 'unknown id' });
  return found;
}
