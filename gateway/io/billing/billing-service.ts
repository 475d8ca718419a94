import type { Account } from '../../../schemas/types.generated.js';
import { closeAttempt, createBilling, type SubscriptionAlert } from '../../core/billing/billing-record.js';
import type { Purchase } from '../../core/billing/checkout-request.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { GatewayError } from '../../core/problems.js';
import { withTimeLimit } from '../timing/time-limit.js';
import { readStoredAccount, updateAccount, type UpdateOptions } from '../accounts/update-account.js';
import type { BillingPort } from './billing-port.js';
import { openCheckout, openPortal, type OpenCheckout } from './checkout.js';
import { createEventHandler, type BillingAlert, type HandleEvent } from './event-handler.js';
import { syncAccount } from './sync-account.js';

/** Billing operations of the routes and commands. */
export type BillingService = {
  /** Returns an open checkout session. @throws GatewayError 'already-subscribed', 'billing-unavailable'; StoreError */
  readonly openCheckout: (account: string, wanted: Purchase) => Promise<OpenCheckout>;
  /** Returns the URL of the billing portal. @throws GatewayError 'subscription-inactive', 'billing-unavailable'; StoreError */
  readonly openPortal: (account: string) => Promise<string>;
  /** Closes the checkout of an account, so that nothing can be paid in it any more, and updates the account. @throws as `sync` */
  readonly closeCheckout: (account: string) => Promise<void>;
  readonly handleEvent: HandleEvent;
  /** Records a customer that Stripe has for an account without one, then updates the account, and throws, as `sync` does. */
  readonly adopt: (account: string, customer: string) => Promise<Account>;
  /** Updates an account to the state at Stripe. @throws GatewayError 'billing-unavailable'; StoreError */
  readonly sync: (account: string) => Promise<Account>;
};

/** Options for `createBillingService`. */
type BillingServiceOptions = UpdateOptions & {
  readonly billing: BillingPort;
  readonly book: PriceBook;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly onAlert: (alert: BillingAlert) => void;
};

/** Time limit of a user's request. Work that takes longer continues, and a repeated request gets its result. */
const USER_LIMIT_MS = 10_000;

function withUserLimit<T>(work: Promise<T>): Promise<T> {
  return withTimeLimit(work, USER_LIMIT_MS, () => new GatewayError('billing-unavailable'));
}

/** Creates the billing operations of a gateway that sells. */
export function createBillingService(options: BillingServiceOptions): BillingService {
  const { store, onAlert } = options;
  const syncOptions = {
    ...options,
    onAlert: ({ outcome, subscription }: SubscriptionAlert) => onAlert({ what: outcome, id: subscription }),
  };
  const sync = (account: string): Promise<Account> => syncAccount(syncOptions, account);
  const context = { ...options, sync };
  return {
    openCheckout: (account, wanted) => withUserLimit(openCheckout(context, account, wanted)),
    async openPortal(account) {
      const stored = await readStoredAccount(store, account);
      return withUserLimit(openPortal(context, stored?.value));
    },
    async closeCheckout(account) {
      const stored = (await readStoredAccount(store, account))?.value.billing;
      if (stored === undefined) return;
      const { session, attempt } = stored.checkout;
      const close = async (): Promise<void> => {
        if (session !== null) await options.billing.expireCheckout(session.id);
        await updateAccount(options, account, (before) => closeAttempt(before, attempt));
        await sync(account);
      };
      await withUserLimit(close());
    },
    handleEvent: createEventHandler(options, syncOptions),
    async adopt(id, customer) {
      const adopt = (account: Account): Account =>
        account.billing === undefined
          ? { ...account, billing: createBilling(customer, options.now()) }
          : account;
      await updateAccount(options, id, adopt);
      return sync(id);
    },
    sync,
  };
}
