import { CHAIN_IDS, PLAN_IDS, PLANS, PRICE_CURRENCY, type PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { statusRuleOf, type Payment, type Subscription } from './subscription.js';

const DAY_MS = 86_400_000;
/** Days of access after the start of a period whose renewal is not paid. */
const GRACE_DAYS = 7;
/** Days of access after the end of a paid period, because the event of the renewal may arrive late. */
const SLACK_DAYS = 3;
/** A payment at most this long before the start of a period counts for it: a checkout is paid before its subscription starts. */
export const EARLY_PAYMENT_MS = DAY_MS;

/** Properties of an outcome. `alerts` is true if an operator must act; `meaning` is shown in the README. */
type OutcomeRule = {
  readonly grantsAccess: boolean;
  readonly alerts: boolean;
  readonly meaning: string;
};

/** The outcomes of a subscription. The README's list is generated from this table. */
export const OUTCOMES = {
  granted: {
    grantsAccess: true,
    alerts: false,
    meaning: `Access until ${SLACK_DAYS} days after the end of the period, or until a scheduled cancellation.`,
  },
  grace: {
    grantsAccess: true,
    alerts: false,
    meaning: `Access until ${GRACE_DAYS} days after the start of the unpaid period, or earlier like "granted".`,
  },
  inactive: {
    grantsAccess: false,
    alerts: false,
    meaning: 'The status of the subscription grants no access.',
  },
  refunded: {
    grantsAccess: false,
    alerts: false,
    meaning: 'Everything paid for the current period was refunded.',
  },
  disputed: {
    grantsAccess: false,
    alerts: true,
    meaning: 'A payment of any period is disputed, or its dispute was lost.',
  },
  'customer-deleted': {
    grantsAccess: false,
    alerts: false,
    meaning: 'The customer was deleted at Stripe.',
  },
  absent: {
    grantsAccess: false,
    alerts: true,
    meaning: 'Stripe no longer lists the subscription for this account. Check its metadata and its customer.',
  },
  'chain-required': {
    grantsAccess: false,
    alerts: true,
    meaning: 'The plan is for one chain. Set `chain` in the metadata of the subscription.',
  },
  'status-unknown': {
    grantsAccess: false,
    alerts: true,
    meaning: 'The status of the subscription is unknown to this version of the gateway.',
  },
  'price-unknown': {
    grantsAccess: false,
    alerts: true,
    meaning:
      'The subscription has no items, or a price that is not configured for any plan. Configure it, or change it at Stripe.',
  },
  'currency-unknown': {
    grantsAccess: false,
    alerts: true,
    meaning: `The subscription is not paid in ${PRICE_CURRENCY}.`,
  },
  'period-unknown': {
    grantsAccess: false,
    alerts: true,
    meaning: 'An item of the subscription has no billing period, or a date of the subscription is invalid.',
  },
  'mode-foreign': {
    grantsAccess: false,
    alerts: true,
    meaning: 'The gateway runs in live mode and the subscription is in test mode, or the reverse.',
  },
} as const satisfies Record<string, OutcomeRule>;

export type Outcome = keyof typeof OUTCOMES;

/** Access that a subscription grants. `plan` and `chain` are set when known, even without access. */
export type SubscriptionGrant = {
  readonly outcome: Outcome;
  readonly plan: PlanId | null;
  readonly chain: Chain | null;
  readonly sinceMs: number;
  /** End of access; `null` without access. */
  readonly untilMs: number | null;
  readonly periodEndMs: number | null;
  /** Instant of the scheduled or past cancellation; `null` without one. */
  readonly cancelAtMs: number | null;
};

/** Plan of each price id, and the mode of the gateway. */
export type PriceBook = { readonly prices: ReadonlyMap<string, PlanId>; readonly isLive: boolean };

/**
 * Returns what a subscription grants, until when, and why. Its prices decide the plan; its metadata decides only the chain.
 * The result does not depend on the clock: the same state at Stripe always gives the same grant.
 */
export function grantFromSubscription(subscription: Subscription, book: PriceBook): SubscriptionGrant {
  const plan = planOf(subscription, book);
  const chain = chainOf(subscription, plan);
  const [startMs, endMs] = periodOf(subscription);
  const cancelAtMs = cancellationOf(subscription, endMs);
  const outcome = outcomeOf(subscription, { book, plan, chain, startMs, endMs });
  const untilMs =
    outcome === 'grace'
      ? Math.min(startMs + GRACE_DAYS * DAY_MS, endMs + SLACK_DAYS * DAY_MS) // an unpaid period grants no more than a paid one
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
  const rule = statusRuleOf(status);
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

/** Returns whether every payment of the period was fully refunded. A refund of only an upgrade does not count. */
function isRefunded(payments: readonly Payment[], startMs: number): boolean {
  const ofPeriod = payments.filter(({ paidAtMs }) => paidAtMs >= startMs - EARLY_PAYMENT_MS);
  return ofPeriod.length > 0 && ofPeriod.every(({ cents, refundedCents }) => refundedCents >= cents);
}

/** Returns the highest plan of the items, or `null` if any item has an unknown price. */
function planOf({ items }: Subscription, { prices }: PriceBook): PlanId | null {
  const plans = items.map(({ price }) => prices.get(price));
  if (plans.includes(undefined)) return null;
  return PLAN_IDS.findLast((plan) => plans.includes(plan)) ?? null;
}

function chainOf({ metadata }: Subscription, plan: PlanId | null): Chain | null {
  if (plan === null || PLANS[plan].chains === 'all') return null;
  return CHAIN_IDS.find((chain) => chain === metadata['chain']) ?? null;
}

/** Returns the latest start and the latest end of the items' periods; `NaN` if one is missing. */
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
