/**
 * What Stripe says of a subscription, in our words. Instants are in milliseconds since the epoch; `NaN` stands for one
 * that is missing, and gives nothing.
 */
export type Subscription = {
  readonly id: string;
  readonly customer: string;
  /** Stripe's word for its state. */
  readonly status: string;
  readonly isLive: boolean;
  /** Three letters, in lower case. */
  readonly currency: string;
  /** What we wrote on it at checkout: account, plan and chain. A person may change it in Stripe's dashboard. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly items: readonly SubscriptionItem[];
  /** When it ends, where that is fixed already. */
  readonly cancelAtMs: number | null;
  readonly cancelsAtPeriodEnd: boolean;
  /** Payments of the current period, and all that were ever disputed; none where nothing was refunded or disputed. */
  readonly payments: readonly Payment[];
};

/** What is sold by a subscription, and the period that is paid for. */
export type SubscriptionItem = {
  readonly price: string;
  readonly periodStartMs: number;
  readonly periodEndMs: number;
};

/** What became of money that was paid; in cents, and `refundedCents` of the same. */
export type Payment = {
  readonly paidAtMs: number;
  readonly cents: number;
  readonly refundedCents: number;
  readonly dispute: 'none' | 'open' | 'won' | 'lost';
};

/** What a status of a subscription means for access. */
export type StatusRule = {
  readonly access: 'yes' | 'grace' | 'no';
  /** Whether another subscription may be bought: this one is over for good. */
  readonly isOver: boolean;
  readonly meaning: string;
};

/**
 * Every status that a subscription can have (Stripe API reference, Subscription.status). The README's table is tested
 * against this one; a status that is not here denies, and is told.
 */
export const STATUSES = {
  active: { access: 'yes', isOver: false, meaning: 'paid' },
  trialing: { access: 'yes', isOver: false, meaning: 'in a trial' },
  past_due: { access: 'grace', isOver: false, meaning: 'the renewal was not paid, and is tried again' },
  unpaid: { access: 'no', isOver: false, meaning: 'the renewal was not paid, and is not tried again' },
  incomplete: { access: 'no', isOver: false, meaning: 'the first payment has not come yet' },
  incomplete_expired: { access: 'no', isOver: true, meaning: 'the first payment did not come' },
  paused: { access: 'no', isOver: false, meaning: 'a trial ended without a way to pay' },
  canceled: { access: 'no', isOver: true, meaning: 'over' },
} as const satisfies Record<string, StatusRule>;

/** A status that is known. */
export type Status = keyof typeof STATUSES;

/** What is known of a status; `undefined` for one that is not. */
export function ruleOf(status: string): StatusRule | undefined {
  return Object.hasOwn(STATUSES, status) ? STATUSES[status as Status] : undefined; // as just seen
}
