import type Stripe from 'stripe';
import { EARLY_PAYMENT_MS } from '../../../core/billing/grant-from-subscription.js';
import { statusRuleOf, type Payment, type Subscription } from '../../../core/billing/subscription.js';

const PAGE_SIZE = 100;

/** Reads the subscriptions of a customer, newest first. Those whose status grants access have their payments. */
export async function readSubscriptions(stripe: Stripe, customer: string): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for await (const each of stripe.subscriptions.list({ status: 'all', limit: PAGE_SIZE, customer })) {
    const grantsAccess = (statusRuleOf(each.status)?.access ?? 'no') !== 'no';
    found.push(toSubscription(each, grantsAccess ? await readPayments(stripe, each) : []));
  }
  return found;
}

/** Lists all subscriptions, newest first, without their payments. */
export async function* listSubscriptions(stripe: Stripe): AsyncGenerator<Subscription> {
  for await (const each of stripe.subscriptions.list({ status: 'all', limit: PAGE_SIZE })) {
    yield toSubscription(each, []);
  }
}

function toSubscription(from: Stripe.Subscription, payments: readonly Payment[]): Subscription {
  return {
    id: from.id,
    customer: typeof from.customer === 'string' ? from.customer : from.customer.id,
    status: from.status,
    isLive: from.livemode,
    currency: from.currency,
    metadata: from.metadata,
    createdMs: toMs(from.created),
    items: from.items.data.map(({ price, current_period_start: start, current_period_end: end }) => ({
      price: price.id,
      periodStartMs: toMs(start),
      periodEndMs: toMs(end),
    })),
    cancelAtMs: from.cancel_at === null ? null : toMs(from.cancel_at),
    cancelsAtPeriodEnd: from.cancel_at_period_end,
    payments,
  };
}

/** Converts seconds to milliseconds; a missing value becomes `NaN`. */
function toMs(seconds: number | null | undefined): number {
  return typeof seconds === 'number' ? seconds * 1000 : Number.NaN;
}

/**
 * Reads the payments of the current period and all disputed payments. Returns an empty list if none of them was refunded or
 * disputed, because then they do not affect access.
 */
async function readPayments(stripe: Stripe, subscription: Stripe.Subscription): Promise<Payment[]> {
  const starts = subscription.items.data.map((item) => item.current_period_start).filter(Number.isFinite);
  const { customer, created } = subscription;
  const charges = stripe.charges.list({
    customer: typeof customer === 'string' ? customer : customer.id,
    created: { gte: created - EARLY_PAYMENT_MS / 1000 },
    limit: PAGE_SIZE,
  });
  const relevant: Stripe.Charge[] = [];
  for await (const charge of charges) {
    const isOfPeriod = toMs(charge.created) >= toMs(Math.max(...starts)) - EARLY_PAYMENT_MS;
    if (charge.paid && charge.amount_captured > 0 && (isOfPeriod || charge.disputed)) relevant.push(charge);
  }
  if (!relevant.some((charge) => charge.amount_refunded > 0 || charge.disputed)) return [];
  const payments: Payment[] = [];
  for (const charge of relevant) {
    if (!(await isPaymentOf(stripe, charge, subscription.id))) continue;
    payments.push({
      paidAtMs: toMs(charge.created),
      cents: charge.amount_captured,
      refundedCents: charge.amount_refunded,
      dispute: charge.disputed ? await readDispute(stripe, charge.id) : 'none',
    });
  }
  return payments;
}

/** Returns whether a charge paid an invoice of the subscription. */
async function isPaymentOf(
  stripe: Stripe,
  { payment_intent: intent }: Stripe.Charge,
  subscription: string,
): Promise<boolean> {
  if (intent === null) return false;
  const payment = {
    type: 'payment_intent',
    payment_intent: typeof intent === 'string' ? intent : intent.id,
  } as const;
  const paid = stripe.invoicePayments.list({ payment, expand: ['data.invoice'], limit: PAGE_SIZE });
  for await (const { invoice } of paid) {
    if (typeof invoice === 'string' || invoice.deleted === true) continue;
    const paidFor = invoice.parent?.subscription_details?.subscription;
    if ((typeof paidFor === 'string' ? paidFor : paidFor?.id) === subscription) return true;
  }
  return false;
}

const DISPUTES: ReadonlyMap<string, Payment['dispute']> = new Map([
  ['won', 'won'],
  ['prevented', 'won'],
  ['lost', 'lost'],
  ['warning_needs_response', 'none'], // an inquiry of the bank: no money was withdrawn
  ['warning_under_review', 'none'],
  ['warning_closed', 'none'],
]);

/** Returns the worst state of the disputes of a charge. An unknown status counts as open. */
async function readDispute(stripe: Stripe, charge: string): Promise<Payment['dispute']> {
  const found = new Set<Payment['dispute']>();
  for await (const { status } of stripe.disputes.list({ charge, limit: PAGE_SIZE }))
    found.add(DISPUTES.get(status) ?? 'open');
  return (['open', 'lost', 'won'] as const).find((each) => found.has(each)) ?? 'none';
}
