import type { Account } from '../../../schemas/types.generated.js';
import { createAccount, grantsOf } from '../../core/account.js';
import type { Accounts } from '../accounts.js';
import type { Renewals } from './renewals.js';

/** Where accounts are, and who looks at Stripe for them. */
export type CurrentAccountTerms = {
  readonly accounts: Pick<Accounts, 'readAccount'>;
  readonly renewals: Renewals;
};

/** The account as it is, after a look at Stripe where an event may have been lost. */
export async function readCurrentAccount(
  { accounts, renewals }: CurrentAccountTerms,
  id: string,
): Promise<Account> {
  const account = (await accounts.readAccount(id)) ?? createAccount(id);
  return (await renewals.onVisit(account, grantsOf(account)))
    ? ((await accounts.readAccount(id)) ?? account)
    : account;
}
