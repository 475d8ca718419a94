import { PLAN_IDS } from '../../../schemas/catalog.js';
import type {
  Account,
  AccountSubscription,
  EntitlementsSubscription,
} from '../../../schemas/types.generated.js';

/** The subscription of an account that gives most at `nowMs`, or else the newest, as its owner sees it; `null` without any. */
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

/** What gives access goes first, the higher plan before the lower one, and the newer before the older. */
function rankOf({ until, plan, since }: AccountSubscription, nowMs: number): number {
  const gives = until !== null && Date.parse(until) > nowMs;
  return (gives && plan !== null ? PLAN_IDS.indexOf(plan) + 1 : 0) * 1e13 + Date.parse(since);
}
