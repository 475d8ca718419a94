import { parseInstant, toDate, toDayNumber } from '../../schemas/dates.js';
import type { Account, Billing } from '../../schemas/types.generated.js';
import { grantsOf, type KeyDescription } from '../core/account.js';
import { OUTCOMES, type Outcome } from '../core/billing/grant-from-subscription.js';
import { isActive, namePlan, type Grant } from '../core/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import type { OpenedAccounts } from './context.js';
import { formatTable } from './format-table.js';

/** Reads an account that must be there. @throws OperatorError 'refused' when it is not. */
export async function readKnownAccount({ accounts, address }: OpenedAccounts, id: string): Promise<Account> {
  const account = await accounts.readAccount(id);
  if (account !== undefined) return account;
  throw new OperatorError('refused', `there is no account ${id} in ${address}`);
}

/** The keys of an account as a table. */
export function formatKeys(keys: readonly KeyDescription[]): string {
  if (keys.length === 0) return 'no keys';
  const rows = keys.map((key) => [
    key.id,
    key.label ?? '-',
    key.created_at,
    key.last_used ?? '-',
    key.revoked_at ?? '-',
  ]);
  return formatTable(['key', 'label', 'created', 'last used', 'revoked'], rows);
}

/** The grants of an account as a table. */
export function formatGrants(account: Account, nowMs: number): string {
  if (account.grants.length === 0) return 'no grants by hand';
  const states = grantsOf(account).map((grant) => stateOf(grant, nowMs));
  const rows = account.grants.map(({ plan, chain, since, until, reason }, i) => [
    namePlan(plan, chain),
    states[i] ?? '',
    since,
    lastDayOf(until),
    reason,
  ]);
  return formatTable(['grant', 'state', 'since', 'last day', 'reason'], rows);
}

/** What an account has bought, for programs; `null` for one that never did. */
export function describeBought({ billing }: Account): Pick<Billing, 'customer' | 'subscriptions'> | null {
  return billing === undefined ? null : { customer: billing.customer, subscriptions: billing.subscriptions };
}

/** Why something that gave access gives none any more by the clock alone. */
const LAPSED: { readonly [outcome in Outcome]?: string } = {
  granted: 'no renewal is recorded; see "gateway reconcile"',
  grace: 'the renewal was not paid in time',
};

/** What an account has bought as a table, with what came of it; nothing for one that never did. */
export function formatBought({ billing }: Account, nowMs: number): string[] {
  if (billing === undefined) return [];
  const rows = Object.entries(billing.subscriptions).map(([id, { status, outcome, plan, chain, until }]) => [
    id,
    plan === null ? 'no plan of ours' : namePlan(plan, chain),
    status,
    until ?? '-',
    until !== null && Date.parse(until) <= nowMs
      ? `${outcome}, and over since: ${LAPSED[outcome as Outcome] ?? 'see "gateway reconcile"'}`
      : `${outcome}: ${OUTCOMES[outcome as Outcome].meaning}`, // only outcomes are written
  ]);
  const head = `customer ${billing.customer} at Stripe`;
  if (rows.length === 0) return [`${head}, without a subscription`];
  return [`${head}\n${formatTable(['subscription', 'plan', 'at Stripe', 'access until', 'why'], rows)}`];
}

/** The last day on which a grant gives access, for one that ends at a midnight. */
export function lastDayOf(until: string): string {
  const date = until.slice(0, 10);
  return parseInstant(until) === parseInstant(date) ? toDate(toDayNumber(date) - 1) : until;
}

function stateOf(grant: Grant, nowMs: number): string {
  if (isActive(grant, nowMs)) return 'active';
  return nowMs < grant.sinceMs && grant.sinceMs < grant.untilMs ? 'to come' : 'ended';
}
