import type { Account } from '../../../schemas/types.generated.js';
import { createAccount, grantsOf } from '../../core/accounts/account.js';
import type { Accounts } from '../accounts/accounts.js';
import type { StripeRefresh } from './stripe-refresh.js';

/** Options for `readCurrentAccount`. */
export type CurrentAccountOptions = {
  readonly accounts: Pick<Accounts, 'readAccount'>;
  readonly stripeRefresh: StripeRefresh;
};

/** Reads an account, after updating it from Stripe if an event may have been lost. */
export async function readCurrentAccount(
  { accounts, stripeRefresh }: CurrentAccountOptions,
  id: string,
): Promise<Account> {
  const account = (await accounts.readAccount(id)) ?? createAccount(id);
  return (await stripeRefresh.refreshIfPendingOrLapsed(account, grantsOf(account)))
    ? ((await accounts.readAccount(id)) ?? account)
    : account;
}
