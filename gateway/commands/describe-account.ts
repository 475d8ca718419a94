import { parseInstant, toDate, toDayNumber } from '../../schemas/dates.js';
import type { Paint } from '../../infra/process/paint.js';
import { formatTable } from '../../infra/process/format-table.js';
import type { Account, Billing } from '../../schemas/types.generated.js';
import { grantsOf, type KeyDescription } from '../core/accounts/account.js';
import { OUTCOMES, type Outcome } from '../core/billing/grant-from-subscription.js';
import { isActive, namePlan, type Grant } from '../core/access/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import type { OpenedAccounts } from './context.js';

/** Reads an account. @throws OperatorError 'refused' when there is no such account. */
export async function readKnownAccount({ accounts, address }: OpenedAccounts, id: string): Promise<Account> {
  const account = await accounts.readAccount(id);
  if (account !== undefined) return account;
  throw new OperatorError(
    'refused',
    `There is no account ${id} in ${address}. Check --account and CRD_ACCOUNTS_STORE. To create the account:`,
    { next: ['grant', '--account', id, '--plan', 'PLAN', '--until', 'DATE', '--reason', 'TEXT'] },
  );
}

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

/** Formats the manual grants of an account as a table. */
export function formatGrants(account: Account, nowMs: number, paint: Paint): string {
  if (account.grants.length === 0) return 'no manual grants';
  const states = grantsOf(account).map((grant) => stateOf(grant, nowMs));
  const rows = account.grants.map(({ plan, chain, since, until, reason }, i) => [
    namePlan(plan, chain),
    paint(states[i] ?? ''),
    since,
    lastDayOf(until),
    reason,
  ]);
  return formatTable(['grant', 'state', 'since', 'last day', 'reason'], rows);
}

/** Returns the purchases of an account for `--json`, `null` if it is not a customer at Stripe. */
export function describeBought({ billing }: Account): Pick<Billing, 'customer' | 'subscriptions'> | null {
  return billing === undefined ? null : { customer: billing.customer, subscriptions: billing.subscriptions };
}

/** Reasons why access may have ended without a new event, by the outcome of the subscription. */
const EXPIRED: { readonly [outcome in Outcome]?: string } = {
  granted: 'no renewal is recorded; run "gateway reconcile"',
  grace: 'the renewal was not paid in time',
};

/** Formats the purchases of an account and whether they grant access; an empty list if it is not a customer at Stripe. */
export function formatBought({ billing }: Account, nowMs: number, paint: Paint): string[] {
  if (billing === undefined) return [];
  const rows = Object.entries(billing.subscriptions).map(([id, { status, outcome, plan, chain, until }]) => [
    id,
    plan === null ? 'unknown plan' : namePlan(plan, chain),
    status,
    until ?? '-',
    until !== null && Date.parse(until) <= nowMs
      ? `${outcome}, ended since: ${EXPIRED[outcome as Outcome] ?? 'run "gateway reconcile"'}`
      : `${paint(outcome)}: ${OUTCOMES[outcome as Outcome].meaning}`, // records contain only outcomes
  ]);
  const head = `customer ${billing.customer} at Stripe`;
  if (rows.length === 0) return [`${head}, without a subscription`];
  return [`${head}\n${formatTable(['subscription', 'plan', 'at Stripe', 'access until', 'why'], rows)}`];
}

/** Returns the last day of access of a grant that ends at midnight; otherwise the instant itself. */
export function lastDayOf(until: string): string {
  const date = until.slice(0, 10);
  return parseInstant(until) === parseInstant(date) ? toDate(toDayNumber(date) - 1) : until;
}

function stateOf(grant: Grant, nowMs: number): string {
  if (isActive(grant, nowMs)) return 'active';
  return nowMs < grant.sinceMs && grant.sinceMs < grant.untilMs ? 'pending' : 'ended';
}
