import { hasEvent, reckon, type BillingAlert } from '../../core/billing/billing-record.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import type { Account } from '../../../schemas/types.generated.js';
import { updateAccount, type UpdateTerms } from '../update-account.js';
import type { BillingPort } from './billing-port.js';

/** What bringing an account up to Stripe's state needs. */
export type SyncTerms = UpdateTerms & {
  readonly billing: Pick<BillingPort, 'readCustomer'>;
  readonly book: PriceBook;
  /** Told of what a person must look at. */
  readonly onAlert: (alert: BillingAlert) => void;
};

/**
 * Brings an account up to what Stripe says by now: reads the account, then Stripe, then swaps; a swap that is lost
 * repeats both. The event that led to it is written down with the same swap, and one that was dealt with changes nothing.
 * Nothing is written when anything fails. Alerts are told before the swap: twice rather than never.
 */
export async function syncAccount(terms: SyncTerms, id: string, event?: string): Promise<Account> {
  const { billing, book, onAlert } = terms;
  return updateAccount(terms, id, async (before) => {
    const customer = before.billing?.customer;
    if (customer === undefined || (event !== undefined && hasEvent(before, event))) return before;
    const reckoning = reckon(before, await billing.readCustomer(customer), book, event);
    reckoning.alerts.forEach(onAlert);
    return reckoning.account;
  });
}
