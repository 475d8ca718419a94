import { CHAIN_IDS, PLAN_IDS, PLANS, PRICE_CURRENCY, type PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { ruleOf, type Payment, type Subscription } from './subscription.js';

const DAY_MS = 86_400_000;
/** How long a renewal may stay unpaid, from the beginning of the period that it is for. */
export const GRACE_DAYS = 7;
/** How long a grant outlives its period, for the event of the renewal to come. */
export const SLACK_DAYS = 3;
/** A period is paid when it begins, or a little before. */
export const EARLY_MS = DAY_MS;

/** What is said of an outcome everywhere; `alerts`: somebody must look. */
export type OutcomeRule = { readonly gives: boolean; readonly alerts: boolean; readonly meaning: string };

/** Everything that can come of a subscription. The README's table is tested against this one. */
export const OUTCOMES = {
  granted: {
    gives: true,
    alerts: false,
    meaning: `access until ${SLACK_DAYS} days after the period, or until the cancellation that is fixed`,
  },
  grace: {
    gives: true,
    alerts: false,
    meaning: `access until ${GRACE_DAYS} days after the beginning of the period that is not paid`,
  },
  inactive: { gives: false, alerts: false, meaning: 'its status gives no access' },
  refunded: { gives: false, alerts: false, meaning: 'all that was paid for this period was refunded' },
  disputed: {
    gives: false,
    alerts: true,
    meaning: 'a payment, of whatever period, is disputed, or was lost by a dispute',
  },
  'customer-deleted': { gives: false, alerts: false, meaning: 'the customer was deleted at Stripe' },
  absent: { gives: false, alerts: true, meaning: 'Stripe does not list it for this account any more' },
  'chain-required': {
    gives: false,
    alerts: true,
    meaning: 'the plan is for one chain, and its metadata names none: set `chain` there',
  },
  'status-unknown': { gives: false, alerts: true, meaning: 'its status is none that we know' },
  'price-unknown': { gives: false, alerts: true, meaning: 'its price is none of ours' },
  'currency-unknown': { gives: false, alerts: true, meaning: `it is not paid in ${PRICE_CURRENCY}` },
  'period-unknown': {
    gives: false,
    alerts: true,
    meaning: 'it has no item with a period, or a date of it cannot be read',
  },
  'mode-foreign': { gives: false, alerts: true, meaning: 'it is of the other mode, live or test' },
} as const satisfies Record<string, OutcomeRule>;

/** What came of a subscription. */
export type Outcome = keyof typeof OUTCOMES;

/** What a subscription gives; `plan` and `chain` as far as they are known, also where it gives nothing. */
export type SubscriptionGrant = {
  readonly outcome: Outcome;
  readonly plan: PlanId | null;
  readonly chain: Chain | null;
  readonly sinceMs: number;
  /** When access ends, whatever comes; `null` where there is none. */
  readonly untilMs: number | null;
  readonly periodEndMs: number | null;
  /** When it is cancelled, where that is fixed. */
  readonly cancelAtMs: number | null;
};

/** Which plan each price is of, and which mode is ours. */
export type PriceBook = { readonly prices: ReadonlyMap<string, PlanId>; readonly isLive: boolean };

/**
 * What a subscription gives, until when, and why: the price decides the plan, the metadata no more than the chain. Pure
 * and total, and apart from any clock: the same state of Stripe always gives the same grant.
 */
export function grantFromSubscription(subscription: Subscription, book: PriceBook): SubscriptionGrant {
  const plan = planOf(subscription, book);
  const chain = chainOf(subscription, plan);
  const [startMs, endMs] = periodOf(subscription);
  const cancelAtMs = cancellationOf(subscription, endMs);
  const outcome = outcomeOf(subscription, { book, plan, chain, startMs, endMs });
  const untilMs =
    outcome === 'grace'
      ? Math.min(startMs + GRACE_DAYS * DAY_MS, endMs + SLACK_DAYS * DAY_MS)
      : outcome === 'granted'
        ? endMs + SLACK_DAYS * DAY_MS
        : null;
  return {
    outcome,
    plan,
    chain,
    sinceMs: subscription.createdMs,
    untilMs: untilMs === null || cancelAtMs === null ? untilMs : Math.min(untilMs, cancelAtMs),
    periodEndMs: Number.isFinite(endMs) ? endMs : null,
    cancelAtMs,
  };
}

type Facts = {
  readonly book: PriceBook;
  readonly plan: PlanId | null;
  readonly chain: Chain | null;
  readonly startMs: number;
  readonly endMs: number;
};

function outcomeOf(subscription: Subscription, { book, plan, chain, startMs, endMs }: Facts): Outcome {
  const { status, isLive, currency, payments, createdMs, cancelAtMs } = subscription;
  const rule = ruleOf(status);
  if (isLive !== book.isLive) return 'mode-foreign';
  if (rule === undefined) return 'status-unknown';
  if (rule.access === 'no') return 'inactive';
  if (isRefunded(payments, startMs)) return 'refunded';
  if (payments.some(({ dispute }) => dispute === 'open' || dispute === 'lost')) return 'disputed';
  if (plan === null) return 'price-unknown';
  if (currency !== PRICE_CURRENCY) return 'currency-unknown';
  if (PLANS[plan].chains === 'selected' && chain === null) return 'chain-required';
  if (![startMs, endMs, createdMs, cancelAtMs ?? 0].every((ms) => Number.isFinite(ms)))
    return 'period-unknown';
  return rule.access === 'grace' ? 'grace' : 'granted';
}

/** Whether all that was paid for the period came back; an upgrade that alone was refunded leaves the rest paid. */
function isRefunded(payments: readonly Payment[], startMs: number): boolean {
  const ofPeriod = payments.filter(({ paidAtMs }) => paidAtMs >= startMs - EARLY_MS);
  return ofPeriod.length > 0 && ofPeriod.every(({ cents, refundedCents }) => refundedCents >= cents);
}

/** The highest plan of the items; one price that is none of ours makes the whole unknown. */
function planOf({ items }: Subscription, { prices }: PriceBook): PlanId | null {
  const plans = items.map(({ price }) => prices.get(price));
  if (plans.includes(undefined)) return null;
  return PLAN_IDS.findLast((plan) => plans.includes(plan)) ?? null;
}

function chainOf({ metadata }: Subscription, plan: PlanId | null): Chain | null {
  if (plan === null || PLANS[plan].chains === 'all') return null;
  return CHAIN_IDS.find((chain) => chain === metadata['chain']) ?? null;
}

/** The latest beginning and the latest end of the items' periods; `NaN` where one is missing. */
function periodOf({ items }: Subscription): [number, number] {
  if (items.length === 0) return [Number.NaN, Number.NaN];
  const starts = items.map(({ periodStartMs }) => periodStartMs);
  const ends = items.map(({ periodEndMs }) => periodEndMs);
  return [Math.max(...starts), Math.max(...ends)];
}

function cancellationOf({ cancelAtMs, cancelsAtPeriodEnd }: Subscription, endMs: number): number | null {
  if (cancelAtMs !== null) return Number.isFinite(cancelAtMs) ? cancelAtMs : null;
  return cancelsAtPeriodEnd && Number.isFinite(endMs) ? endMs : null;
}
