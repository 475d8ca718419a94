import { PLAN_IDS } from '../../../schemas/catalog.js';
import type {
  Account,
  AccountSubscription,
  EntitlementsSubscription,
} from '../../../schemas/types.generated.js';

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
