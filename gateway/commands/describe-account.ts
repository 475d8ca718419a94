import { parseInstant, toDate, toDayNumber } from '../../schemas/dates.js';
import type { Account } from '../../schemas/types.generated.js';
import { grantsOf, type KeyDescription } from '../core/account.js';
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
  if (account.grants.length === 0) return 'no grants';
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

/** The last day on which a grant gives access, for one that ends at a midnight. */
export function lastDayOf(until: string): string {
  const date = until.slice(0, 10);
  return parseInstant(until) === parseInstant(date) ? toDate(toDayNumber(date) - 1) : until;
}

function stateOf(grant: Grant, nowMs: number): string {
  if (isActive(grant, nowMs)) return 'active';
  return nowMs < grant.sinceMs && grant.sinceMs < grant.untilMs ? 'to come' : 'ended';
}
