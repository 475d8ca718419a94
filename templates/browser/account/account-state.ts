import type { PlanId } from '../../../schemas/catalog.js';
import type { Chain, Entitlements, EntitlementsSubscription } from '../../../schemas/types.generated.js';

/** A plan with its chain; `null` for all chains, or while the chain is missing. */
export type HeldPlan = { readonly plan: PlanId; readonly chain: Chain | null };

/** What the page says about an account. Times are instants, as the gateway sends them. */
export type AccountState =
  /** Nothing was ever bought or granted. */
  | { readonly kind: 'none' }
  /** The payment is not confirmed yet. */
  | { readonly kind: 'waiting' }
  /** It was not confirmed within `WAIT_MS`. */
  | { readonly kind: 'late' }
  | {
      readonly kind: 'active';
      readonly held: HeldPlan;
      readonly renews: string | null;
      readonly until: string;
      /** A subscription beside a grant, about which its owner should do something. */
      readonly beside?: AccountState;
    }
  /** A renewal is unpaid, and access continues for a few days. */
  | { readonly kind: 'unpaid'; readonly held: HeldPlan; readonly until: string }
  /** A renewal is unpaid, and access has stopped. */
  | { readonly kind: 'stopped'; readonly held: HeldPlan | null }
  | { readonly kind: 'cancelled'; readonly held: HeldPlan; readonly until: string }
  | { readonly kind: 'ended'; readonly held: HeldPlan | null; readonly ended: string | null }
  /** The first payment was never made. */
  | { readonly kind: 'not-paid' }
  /** The payment was returned and access has stopped, but the subscription is not cancelled. */
  | { readonly kind: 'refunded'; readonly held: HeldPlan | null }
  /** Something that only the publisher can correct. */
  | { readonly kind: 'attention'; readonly outcome: string };

/** The longest time that the page waits for a payment. */
export const WAIT_MS = 120_000;
/** The interval at which it asks. */
export const POLL_MS = 5_000;

/** Outcomes of a subscription that the publisher need not correct. */
const ORDINARY = ['granted', 'grace', 'inactive', 'refunded', 'customer-deleted'];

/** Times, in milliseconds since the epoch, by which a state is judged. */
type Moments = {
  readonly nowMs: number;
  readonly openedMs: number;
  /** Whether the buyer came back from a payment when the page was opened. */
  readonly isBackFromPayment: boolean;
};

/** Returns the state of an account. A payment that is not confirmed is waited for from when the page was opened. */
export function toAccountState(
  entitlements: Entitlements,
  { nowMs, openedMs, isBackFromPayment }: Moments,
): AccountState {
  const bought = ofSubscription(entitlements, nowMs);
  if (bought !== undefined && HAS_ACCESS.includes(bought.kind)) return bought;
  const granted = ofGrants(entitlements);
  const urgent = bought !== undefined && NEEDS_ACTION.includes(bought.kind) ? bought : undefined;
  if (granted !== undefined) return { ...granted, ...(urgent === undefined ? {} : { beside: urgent }) };
  if (urgent !== undefined) return urgent;
  if (bought?.kind !== 'waiting' && !isBackFromPayment) return bought ?? { kind: 'none' };
  return { kind: nowMs - openedMs < WAIT_MS ? 'waiting' : 'late' };
}

const HAS_ACCESS: readonly AccountState['kind'][] = ['active', 'unpaid', 'cancelled'];
const NEEDS_ACTION: readonly AccountState['kind'][] = ['attention', 'stopped', 'refunded'];

/** Returns whether an account in this state can buy a plan. */
export function canBuy({ kind }: AccountState): boolean {
  return kind === 'none' || kind === 'ended' || kind === 'not-paid';
}

/** Returns whether an account in this state has a customer at the payment service, and therefore a billing portal. */
export function hasPortal({ subscription }: Entitlements): boolean {
  return subscription !== null && subscription !== undefined && subscription.outcome !== 'customer-deleted';
}

function ofSubscription({ subscription }: Entitlements, nowMs: number): AccountState | undefined {
  if (subscription === null || subscription === undefined) return undefined;
  const { state, outcome, plan, chain, cancel_at: cancelAt, access_until: until } = subscription;
  const held: HeldPlan | null = plan === null ? null : { plan, chain };
  if (held !== null && until !== null && Date.parse(until) > nowMs)
    return withAccess(subscription, held, until);
  if (state === 'incomplete_expired') return { kind: 'not-paid' };
  if (state === 'canceled') return { kind: 'ended', held, ended: cancelAt };
  if (!ORDINARY.includes(outcome)) return { kind: 'attention', outcome };
  if (state === 'incomplete') return { kind: 'waiting' };
  if (outcome === 'refunded') return { kind: 'refunded', held };
  if (outcome === 'customer-deleted') return { kind: 'ended', held, ended: null };
  return { kind: 'stopped', held };
}

function withAccess(
  { outcome, period_end: renews, cancel_at: cancelAt }: EntitlementsSubscription,
  held: HeldPlan,
  until: string,
): AccountState {
  if (outcome === 'grace') return { kind: 'unpaid', held, until };
  if (cancelAt !== null) return { kind: 'cancelled', held, until };
  return { kind: 'active', held, renews, until };
}

function ofGrants({
  plan,
  until,
  grants,
}: Entitlements): Extract<AccountState, { readonly kind: 'active' }> | undefined {
  if (plan === null || until === null) return undefined;
  const chain = grants.find((grant) => grant.plan === plan)?.chain ?? null;
  return { kind: 'active', held: { plan, chain }, renews: null, until };
}
