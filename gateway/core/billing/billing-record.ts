import { canonicalJson } from '../../../schemas/canonical-json.js';
import { parseInstant, toInstant } from '../../../schemas/dates.js';
import type { Account, AccountSubscription, Billing } from '../../../schemas/types.generated.js';
import type { Grant } from '../access/entitlements.js';
import { grantFromSubscription, OUTCOMES, type Outcome, type PriceBook } from './grant-from-subscription.js';
import { statusRuleOf, type Subscription } from './subscription.js';

/** Maximum number of stored event ids. Processing an older event again is harmless: it reads the same state from Stripe again. */
const MAX_EVENTS = 50;
/** Maximum number of stored subscriptions. The oldest without access are dropped first. */
const MAX_SUBSCRIPTIONS = 20;

/** State of a customer at Stripe. */
export type CustomerState = {
  readonly isDeleted: boolean;
  readonly subscriptions: readonly Subscription[];
};

/** A subscription that an operator must check at Stripe. */
export type SubscriptionAlert = {
  readonly outcome: Outcome | 'account-foreign';
  readonly subscription: string;
};

/** An account updated from Stripe, and the new alerts. */
type AppliedState = { readonly account: Account; readonly alerts: readonly SubscriptionAlert[] };

/**
 * Creates the billing record of a new customer. The number of an attempt is part of its idempotency key, so attempts are
 * counted from the current time: after the account was deleted, a new record does not repeat numbers of the old one.
 */
export function createBilling(customer: string, nowMs: number): Billing {
  return { customer, checkout: { attempt: nowMs, session: null }, subscriptions: {}, events: [] };
}

/** Returns whether an event was already processed. */
export function hasEvent({ billing }: Account, event: string): boolean {
  return billing?.events.includes(event) === true;
}

/**
 * Updates an account's subscriptions to the state at Stripe, and records the event that caused the update. Returns the same
 * account object if nothing changes. A subscription whose metadata does not name the account is not added to the record; an event raises
 * an alert for them.
 */
export function applyCustomerState(
  account: Account,
  state: CustomerState,
  book: PriceBook,
  event?: string,
): AppliedState {
  const { billing } = account;
  if (billing === undefined) return { account, alerts: [] };
  const listed = state.isDeleted ? [] : state.subscriptions;
  const own = listed.filter((each) => belongsTo(each, account.account, billing));
  const foreign = listed.filter((each) => !own.includes(each));
  const subscriptions = limitSubscriptions({
    ...Object.fromEntries(endUnlisted(billing, own, state.isDeleted)),
    ...Object.fromEntries(own.map((each) => [each.id, toRecord(each, book)])),
  });
  const events =
    event === undefined || billing.events.includes(event)
      ? billing.events
      : [event, ...billing.events].slice(0, MAX_EVENTS);
  const next: Account = { ...account, billing: { ...billing, subscriptions, events } };
  const alerts = [
    ...(event === undefined ? [] : foreign).map(({ id }): SubscriptionAlert => ({
      outcome: 'account-foreign',
      subscription: id,
    })),
    ...findAlerts(subscriptions, billing),
  ];
  return { account: canonicalJson(next) === canonicalJson(account) ? account : next, alerts };
}

/** Returns the grants of the recorded subscriptions. */
export function stripeGrantsOf({ billing }: Account): Grant[] {
  return Object.values(billing?.subscriptions ?? {}).flatMap(({ plan, chain, since, until }): Grant[] => {
    if (plan === null || until === null) return [];
    const [sinceMs, untilMs] = [parseInstant(since) ?? Number.NaN, parseInstant(until) ?? Number.NaN];
    return [{ plan, chain, origin: 'stripe', sinceMs, untilMs }];
  });
}

/** Returns whether any subscription has not ended. Such an account cannot buy another one. */
export function hasCurrentSubscription(subscriptions: readonly Subscription[]): boolean {
  return subscriptions.some(({ status }) => statusRuleOf(status)?.isTerminal !== true);
}

function belongsTo({ customer, metadata }: Subscription, account: string, billing: Billing): boolean {
  return customer === billing.customer && metadata['account'] === account;
}

function toRecord(subscription: Subscription, book: PriceBook): AccountSubscription {
  const { outcome, plan, chain, sinceMs, untilMs, periodEndMs, cancelAtMs } = grantFromSubscription(
    subscription,
    book,
  );
  return {
    status: subscription.status.slice(0, 64), // the maximum of the schema; Stripe may add names
    outcome,
    plan,
    chain,
    since: toInstant(Number.isFinite(sinceMs) ? sinceMs : 0),
    until: instantOf(untilMs),
    period_end: instantOf(periodEndMs),
    cancel_at: instantOf(cancelAtMs),
  };
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : toInstant(ms);
}

/**
 * Returns the account after a checkout attempt was closed: a session that is opened for it later is not recorded. Returns the
 * account itself if another attempt has begun.
 */
export function closeAttempt(account: Account, attempt: number): Account {
  const { billing } = account;
  if (billing?.checkout.attempt !== attempt) return account;
  return { ...account, billing: { ...billing, checkout: nextAttempt(billing) } };
}

/** Returns the next attempt of a checkout, which has no session yet. */
export function nextAttempt({ checkout: { attempt } }: Billing): Billing['checkout'] {
  return { attempt: attempt + 1, session: null };
}

/** Ends all subscriptions of a customer that was deleted at Stripe. */
export function endAllSubscriptions(billing: Billing): Billing {
  return { ...billing, subscriptions: Object.fromEntries(endUnlisted(billing, [], true)) };
}

/** Returns the recorded subscriptions that Stripe no longer lists for the account, without access. */
function endUnlisted(
  { subscriptions }: Billing,
  listed: readonly Subscription[],
  isDeleted: boolean,
): [string, AccountSubscription][] {
  const ids = new Set(listed.map(({ id }) => id));
  return Object.entries(subscriptions)
    .filter(([id]) => !ids.has(id))
    .map(([id, before]) => {
      if (statusRuleOf(before.status)?.isTerminal === true) return [id, before];
      const ended = isDeleted
        ? { status: 'canceled', outcome: 'customer-deleted' } // Stripe cancels the subscriptions of a deleted customer
        : { outcome: 'absent' };
      return [id, { ...before, ...ended, until: null }];
    });
}

/** Keeps at most `MAX_SUBSCRIPTIONS`, preferring those with access, then the newest. */
function limitSubscriptions(
  subscriptions: Readonly<Record<string, AccountSubscription>>,
): Record<string, AccountSubscription> {
  const order = ({ since, until }: AccountSubscription): string => `${until === null ? 0 : 1} ${since}`;
  const sorted = Object.entries(subscriptions).sort(([, one], [, other]) =>
    order(one) < order(other) ? 1 : -1,
  );
  return Object.fromEntries(
    sorted.slice(0, MAX_SUBSCRIPTIONS).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Returns the alerts of subscriptions whose outcome has changed. */
function findAlerts(
  subscriptions: Readonly<Record<string, AccountSubscription>>,
  { subscriptions: before }: Billing,
): SubscriptionAlert[] {
  return Object.entries(subscriptions).flatMap(([subscription, { outcome }]) => {
    const current = outcome as Outcome; // records contain only outcomes
    return OUTCOMES[current].alerts && before[subscription]?.outcome !== outcome
      ? [{ outcome: current, subscription }]
      : [];
  });
}
