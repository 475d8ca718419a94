import { PLAN_IDS } from '../../../schemas/catalog.js';
import type {
  Account,
  AccountSubscription,
  EntitlementsSubscription,
} from '../../../schemas/types.generated.js';

/**
 * State of a subscription at Stripe. Instants are in milliseconds since the epoch; `NaN` means that the instant is missing,
 * and such a subscription grants nothing.
 */
export type Subscription = {
  readonly id: string;
  readonly customer: string;
  /** Stripe's name of the status, a key of `STATUSES` unless Stripe adds a new one. */
  readonly status: string;
  readonly isLive: boolean;
  /** Three letters, in lower case. */
  readonly currency: string;
  /** Account, plan and chain, written at checkout. An operator can change them in Stripe's dashboard. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly items: readonly SubscriptionItem[];
  /** Instant of a scheduled or past cancellation. */
  readonly cancelAtMs: number | null;
  readonly cancelsAtPeriodEnd: boolean;
  /** Payments of the current period and all disputed payments. Empty if no payment of the customer was refunded or disputed, if the status grants no access, and in lists. */
  readonly payments: readonly Payment[];
};

/** A price in a subscription, with the current billing period. */
type SubscriptionItem = {
  readonly price: string;
  readonly periodStartMs: number;
  readonly periodEndMs: number;
};

/** A payment, with its refunds and dispute. `refundedCents` is part of `cents`. */
export type Payment = {
  readonly paidAtMs: number;
  readonly cents: number;
  readonly refundedCents: number;
  readonly dispute: 'none' | 'open' | 'won' | 'lost';
};

/** Access of a subscription with a certain status. `meaning` is shown in the README. */
type StatusRule = {
  readonly access: 'yes' | 'grace' | 'no';
  /** True if the subscription has ended and cannot become active again, so that the account can buy another. */
  readonly isTerminal: boolean;
  readonly meaning: string;
};

/**
 * The statuses of a subscription (Stripe API reference, Subscription.status). A status that is not in this table grants no
 * access and raises an alert. The README's list is generated from this table.
 */
export const STATUSES = {
  active: { access: 'yes', isTerminal: false, meaning: 'The subscription is paid.' },
  trialing: { access: 'yes', isTerminal: false, meaning: 'The subscription is in a trial period.' },
  past_due: {
    access: 'grace',
    isTerminal: false,
    meaning: 'The payment of the renewal failed, and Stripe retries it.',
  },
  unpaid: {
    access: 'no',
    isTerminal: false,
    meaning: 'The payment of the renewal failed, and Stripe no longer retries it.',
  },
  incomplete: { access: 'no', isTerminal: false, meaning: 'The first payment is pending.' },
  incomplete_expired: { access: 'no', isTerminal: true, meaning: 'The first payment was not made in time.' },
  paused: { access: 'no', isTerminal: false, meaning: 'The trial ended without a payment method.' },
  canceled: { access: 'no', isTerminal: true, meaning: 'The subscription has ended.' },
} as const satisfies Record<string, StatusRule>;

/** A known status of a subscription. */
type Status = keyof typeof STATUSES;

/** Returns the rule of a status, or `undefined` for an unknown status. */
export function statusRuleOf(status: string): StatusRule | undefined {
  return Object.hasOwn(STATUSES, status) ? STATUSES[status as Status] : undefined; // as `hasOwn` checked
}

/**
 * Returns the subscription to show to the owner of an account: the one that grants the highest plan at `nowMs`, otherwise
 * the newest. Returns `null` for an account without subscriptions.
 */
export function describeSubscription({ billing }: Account, nowMs: number): EntitlementsSubscription | null {
  const [best] = Object.values(billing?.subscriptions ?? {}).sort(
    (one, other) => rankOf(other, nowMs) - rankOf(one, nowMs),
  );
  if (best === undefined) return null;
  const { status, outcome, plan, chain, since, until, period_end: periodEnd, cancel_at: cancelAt } = best;
  return {
    state: status,
    outcome,
    plan,
    chain,
    since,
    period_end: periodEnd,
    cancel_at: cancelAt,
    access_until: until,
  };
}

/** An instant after every start of a subscription, in milliseconds since the epoch (the year 2286). */
const LATER_THAN_ANY_MS = 1e13;

/** Ranks subscriptions with access above those without, then by plan, then by start. A higher number ranks first. */
function rankOf({ until, plan, since }: AccountSubscription, nowMs: number): number {
  const grantsAccess = until !== null && Date.parse(until) > nowMs;
  const rank = grantsAccess && plan !== null ? PLAN_IDS.indexOf(plan) + 1 : 0;
  return rank * LATER_THAN_ANY_MS + Date.parse(since);
}
