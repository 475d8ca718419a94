/** Location of the customer id in an event: in its object, as its object's own id, or in the charge of its object. */
type EventSource = 'customer' | 'itself' | 'charge';

/** Properties of an event type. `meaning` is shown in the README. */
type EventRule = { readonly source: EventSource; readonly meaning: string };

/**
 * The event types that make the gateway read an account's subscriptions again (Stripe API reference, types of events).
 * They are those that can give or end access, through a subscription or the refunds and disputes of its payments. Two can
 * report the same change, such as a won dispute, in case one is lost. The contents of an event are not trusted. Events of other types are answered and ignored. The README's list is generated
 * from this table.
 */
export const STRIPE_EVENTS = {
  'checkout.session.completed': { source: 'customer', meaning: 'A checkout was completed.' },
  'checkout.session.async_payment_succeeded': { source: 'customer', meaning: 'A delayed payment succeeded.' },
  'checkout.session.async_payment_failed': { source: 'customer', meaning: 'A delayed payment failed.' },
  'customer.subscription.created': { source: 'customer', meaning: 'A subscription was created.' },
  'customer.subscription.updated': {
    source: 'customer',
    meaning: "A subscription's plan, chain, status or cancellation changed.",
  },
  'customer.subscription.paused': { source: 'customer', meaning: 'A subscription was paused.' },
  'customer.subscription.resumed': { source: 'customer', meaning: 'A subscription was resumed.' },
  'customer.subscription.deleted': { source: 'customer', meaning: 'A subscription ended.' },
  'customer.deleted': {
    source: 'itself',
    meaning: 'A customer was deleted, together with all its subscriptions.',
  },
  'invoice.paid': { source: 'customer', meaning: 'A period was paid.' },
  'invoice.payment_failed': { source: 'customer', meaning: 'The payment of a period failed.' },
  'charge.refunded': { source: 'customer', meaning: 'A payment was refunded, partially or fully.' },
  'refund.failed': { source: 'charge', meaning: 'A refund failed.' },
  'charge.dispute.created': { source: 'charge', meaning: 'A payment was disputed.' },
  'charge.dispute.updated': { source: 'charge', meaning: 'A dispute changed.' },
  'charge.dispute.closed': { source: 'charge', meaning: 'A dispute was won or lost.' },
  'charge.dispute.funds_reinstated': { source: 'charge', meaning: 'Disputed money was returned.' },
} as const satisfies Record<string, EventRule>;

/** An event type that the gateway handles. */
type StripeEventType = keyof typeof STRIPE_EVENTS;

/** Returns the rule of an event type, or `undefined` if the gateway ignores that type. */
export function eventRuleOf(type: string): EventRule | undefined {
  return Object.hasOwn(STRIPE_EVENTS, type) ? STRIPE_EVENTS[type as StripeEventType] : undefined; // as `hasOwn` checked
}

/** The parts of a Stripe event that the gateway uses. Its signature has been verified. */
export type BillingEvent = {
  readonly id: string;
  readonly type: string;
  readonly isLive: boolean;
  /** Id of the customer; `null` if the event does not contain it. */
  readonly customer: string | null;
  readonly charge: string | null;
  /** Account id that the gateway stored on the event's object at checkout. */
  readonly account: string | null;
};
