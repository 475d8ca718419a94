import { hasEvent, applyCustomerState, type SubscriptionAlert } from '../../core/billing/billing-record.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import type { Account } from '../../../schemas/types.generated.js';
import { updateAccount, type UpdateOptions } from '../accounts/update-account.js';
import type { BillingPort } from './billing-port.js';

/** Options for `syncAccount`. */
export type SyncOptions = UpdateOptions & {
  readonly billing: Pick<BillingPort, 'readCustomer'>;
  readonly book: PriceBook;
  /** Receives each subscription that an operator must check. */
  readonly onAlert: (alert: SubscriptionAlert) => void;
};

/**
 * Updates an account to the state at Stripe. Reads the account, then Stripe, then writes with a compare-and-swap; if another
 * writer was first, it reads both again. The id of the event is stored in the same write, so an event that was already
 * processed changes nothing. Nothing is written when a step fails. Alerts are raised before the write, so that an alert may
 * be repeated but is never lost.
 */
export async function syncAccount(options: SyncOptions, id: string, event?: string): Promise<Account> {
  const { billing, book, onAlert } = options;
  return updateAccount(options, id, async (before) => {
    const customer = before.billing?.customer;
    if (customer === undefined || (event !== undefined && hasEvent(before, event))) return before;
    const { account, alerts } = applyCustomerState(before, await billing.readCustomer(customer), book, event);
    alerts.forEach(onAlert);
    return account;
  });
}
