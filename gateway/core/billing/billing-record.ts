import { canonicalJson } from '../../../schemas/canonical-json.js';
import { parseInstant, toInstant } from '../../../schemas/dates.js';
import type { Account, AccountSubscription, Billing } from '../../../schemas/types.generated.js';
import type { Grant } from '../entitlements.js';
import { grantFromSubscription, OUTCOMES, type Outcome, type PriceBook } from './grant-from-subscription.js';
import { ruleOf, type Subscription } from './subscription.js';

/** Number of events that are remembered; Stripe repeats one for three days, and dealing with it again changes nothing. */
export const KEPT_EVENTS = 50;
/** Number of subscriptions that are kept; beyond it those are left out that were over first. */
export const KEPT_SUBSCRIPTIONS = 20;

/** What Stripe says of an account's customer. */
export type CustomerState = {
  readonly isDeleted: boolean;
  readonly subscriptions: readonly Subscription[];
};

/** Something that a person must look at. */
export type BillingAlert = {
  readonly outcome: Outcome | 'account-foreign';
  readonly subscription: string;
};

/** The account after a look at Stripe, and what somebody must hear of. */
export type Reckoning = { readonly account: Account; readonly alerts: readonly BillingAlert[] };

/** The billing of an account that has become a customer. */
export function beginBilling(customer: string): Billing {
  return { customer, checkout: { attempt: 1, session: null }, subscriptions: {}, events: [] };
}

/** Whether an event was dealt with already. */
export function hasEvent({ billing }: Account, event: string): boolean {
  return billing?.events.includes(event) === true;
}

/**
 * The account with what its subscriptions give by Stripe's state, each by itself, and with the event that led to it. The
 * account itself where nothing changes. Subscriptions that name another account are told and not counted.
 */
export function reckon(account: Account, state: CustomerState, book: PriceBook, event?: string): Reckoning {
  const { billing } = account;
  if (billing === undefined) return { account, alerts: [] };
  const listed = state.isDeleted ? [] : state.subscriptions;
  const own = listed.filter((each) => isOf(each, account.account, billing));
  const foreign = listed.filter((each) => !own.includes(each));
  const subscriptions = keep({
    ...Object.fromEntries(endMissing(billing, own, state.isDeleted)),
    ...Object.fromEntries(own.map((each) => [each.id, toRecord(each, book)])),
  });
  const events =
    event === undefined || billing.events.includes(event)
      ? billing.events
      : [event, ...billing.events].slice(0, KEPT_EVENTS);
  const next: Account = { ...account, billing: { ...billing, subscriptions, events } };
  const alerts = [
    ...(event === undefined ? [] : foreign).map(({ id }): BillingAlert => ({
      outcome: 'account-foreign',
      subscription: id,
    })),
    ...findAlerts(subscriptions, billing),
  ];
  return { account: canonicalJson(next) === canonicalJson(account) ? account : next, alerts };
}

/** What the subscriptions of an account give, as grants. */
export function stripeGrantsOf({ billing }: Account): Grant[] {
  return Object.values(billing?.subscriptions ?? {}).flatMap(({ plan, chain, since, until }): Grant[] => {
    if (plan === null || until === null) return [];
    const [sinceMs, untilMs] = [parseInstant(since) ?? Number.NaN, parseInstant(until) ?? Number.NaN];
    return [{ plan, chain, origin: 'stripe', sinceMs, untilMs }];
  });
}

/** Whether the account has a subscription that is not over: then nothing is sold to it but in the portal. */
export function isSubscriber(subscriptions: readonly Subscription[]): boolean {
  return subscriptions.some(({ status }) => ruleOf(status)?.isOver !== true);
}

function isOf({ customer, metadata }: Subscription, account: string, billing: Billing): boolean {
  return customer === billing.customer && metadata['account'] === account;
}

function toRecord(subscription: Subscription, book: PriceBook): AccountSubscription {
  const { outcome, plan, chain, sinceMs, untilMs, periodEndMs, cancelAtMs } = grantFromSubscription(
    subscription,
    book,
  );
  return {
    status: subscription.status.slice(0, 64),
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

/** The billing of a customer that was deleted: nothing that it had bought gives anything from now on. */
export function endAll(billing: Billing): Billing {
  return { ...billing, subscriptions: Object.fromEntries(endMissing(billing, [], true)) };
}

/** The subscriptions that Stripe does not list any more: they give nothing from now on. */
function endMissing(
  { subscriptions }: Billing,
  listed: readonly Subscription[],
  isDeleted: boolean,
): [string, AccountSubscription][] {
  const ids = new Set(listed.map(({ id }) => id));
  return Object.entries(subscriptions)
    .filter(([id]) => !ids.has(id))
    .map(([id, before]) => {
      if (ruleOf(before.status)?.isOver === true) return [id, before];
      const ended = isDeleted
        ? { status: 'canceled', outcome: 'customer-deleted' } // a customer takes its subscriptions along
        : { outcome: 'absent' };
      return [id, { ...before, ...ended, until: null }];
    });
}

/** At most so many: first those that give access, then the newest. */
function keep(all: Readonly<Record<string, AccountSubscription>>): Record<string, AccountSubscription> {
  const order = ({ since, until }: AccountSubscription): string => `${until === null ? 0 : 1} ${since}`;
  const sorted = Object.entries(all).sort(([, one], [, other]) => (order(one) < order(other) ? 1 : -1));
  return Object.fromEntries(
    sorted.slice(0, KEPT_SUBSCRIPTIONS).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** What somebody must hear of, and has not heard yet. */
function findAlerts(
  subscriptions: Readonly<Record<string, AccountSubscription>>,
  { subscriptions: before }: Billing,
): BillingAlert[] {
  return Object.entries(subscriptions).flatMap(([subscription, { outcome }]) => {
    const known = outcome as Outcome; // only outcomes are written
    return OUTCOMES[known].alerts && before[subscription]?.outcome !== outcome
      ? [{ outcome: known, subscription }]
      : [];
  });
}
