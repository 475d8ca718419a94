/** Where an event names the customer that it is about: in its object, as its object, or by the charge in its object. */
type EventSource = 'customer' | 'itself' | 'charge';

/** What is said of a type of event everywhere. */
export type EventRule = { readonly source: EventSource; readonly meaning: string };

/**
 * Every type of event that makes us read an account's subscriptions again (Stripe API reference, types of events). None
 * of them is believed for more than that something happened. The README's table is tested against this one; other types
 * are answered and passed over.
 */
export const STRIPE_EVENTS = {
  'checkout.session.completed': { source: 'customer', meaning: 'a purchase was made' },
  'checkout.session.async_payment_succeeded': { source: 'customer', meaning: 'a slow payment came' },
  'checkout.session.async_payment_failed': { source: 'customer', meaning: 'a slow payment did not come' },
  'customer.subscription.created': { source: 'customer', meaning: 'a subscription began' },
  'customer.subscription.updated': {
    source: 'customer',
    meaning: 'its plan, chain, status or cancellation changed',
  },
  'customer.subscription.paused': { source: 'customer', meaning: 'it was paused' },
  'customer.subscription.resumed': { source: 'customer', meaning: 'it goes on' },
  'customer.subscription.deleted': { source: 'customer', meaning: 'it is over' },
  'customer.deleted': {
    source: 'itself',
    meaning: 'the customer was deleted, and with it every subscription',
  },
  'invoice.paid': { source: 'customer', meaning: 'a period was paid' },
  'invoice.payment_failed': { source: 'customer', meaning: 'a period was not paid' },
  'charge.refunded': { source: 'customer', meaning: 'a payment was refunded, in part or in full' },
  'refund.failed': { source: 'charge', meaning: 'a refund did not go through' },
  'charge.dispute.created': { source: 'charge', meaning: 'a payment is disputed' },
  'charge.dispute.updated': { source: 'charge', meaning: 'a dispute goes on' },
  'charge.dispute.closed': { source: 'charge', meaning: 'a dispute was won or lost' },
  'charge.dispute.funds_reinstated': { source: 'charge', meaning: 'disputed money came back' },
} as const satisfies Record<string, EventRule>;

/** A type of event that concerns us. */
export type StripeEventType = keyof typeof STRIPE_EVENTS;

/** What is known of a type of event; `undefined` for one that does not concern us. */
export function eventRuleOf(type: string): EventRule | undefined {
  return Object.hasOwn(STRIPE_EVENTS, type) ? STRIPE_EVENTS[type as StripeEventType] : undefined; // as just seen
}

/** An event, as far as it is listened to: its signature was right. */
export type BillingEvent = {
  readonly id: string;
  readonly type: string;
  readonly isLive: boolean;
  /** Whose it is, as far as it says so itself. */
  readonly customer: string | null;
  readonly charge: string | null;
  /** The account that we wrote on its object. */
  readonly account: string | null;
};
