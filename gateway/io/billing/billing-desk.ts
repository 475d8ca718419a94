import type { Account } from '../../../schemas/types.generated.js';
import { beginBilling, type BillingAlert } from '../../core/billing/billing-record.js';
import type { Purchase } from '../../core/billing/checkout-request.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { GatewayError } from '../../core/problems.js';
import { withinTime } from '../within-time.js';
import { readStoredAccount, updateAccount, type UpdateTerms } from '../update-account.js';
import type { BillingPort } from './billing-port.js';
import { openCheckout, openPortal, type OpenCheckout } from './checkout.js';
import { createEventTaker, type DeskAlert, type TakeEvent } from './event-taker.js';
import { syncAccount } from './sync-account.js';

/** Selling: what the routes and commands ask for. */
export type BillingDesk = {
  /** @throws GatewayError 'already-subscribed', 'billing-unavailable' */
  readonly openCheckout: (account: string, wanted: Purchase) => Promise<OpenCheckout>;
  /** Where the account may change, pay and cancel. @throws GatewayError 'subscription-inactive', 'billing-unavailable' */
  readonly openPortal: (account: string) => Promise<string>;
  readonly takeEvent: TakeEvent;
  /** Takes up a customer that Stripe has for an account that is none by its record, then as `sync`. */
  readonly adopt: (account: string, customer: string) => Promise<Account>;
  /** Brings an account up to what Stripe says by now. @throws GatewayError 'billing-unavailable'; StoreError */
  readonly sync: (account: string) => Promise<Account>;
};

/** What a desk needs; `now` is in milliseconds since the epoch. */
export type BillingDeskTerms = UpdateTerms & {
  readonly billing: BillingPort;
  readonly book: PriceBook;
  readonly now: () => number;
  readonly onAlert: (alert: DeskAlert) => void;
};

/** How long a person waits; what goes on is found by its idempotency key when it is asked for again. */
const PATIENCE_MS = 10_000;

async function inPatience<T>(work: Promise<T>): Promise<T> {
  if (await withinTime(work, PATIENCE_MS)) return work;
  work.catch(() => undefined);
  throw new GatewayError('billing-unavailable');
}

/** The desk of a gateway that sells. */
export function createBillingDesk(terms: BillingDeskTerms): BillingDesk {
  const { store, onAlert } = terms;
  const syncTerms = {
    ...terms,
    onAlert: ({ outcome, subscription }: BillingAlert) => onAlert({ what: outcome, id: subscription }),
  };
  const sync = (account: string): Promise<Account> => syncAccount(syncTerms, account);
  const desk = { ...terms, sync };
  return {
    openCheckout: (account, wanted) => inPatience(openCheckout(desk, account, wanted)),
    async openPortal(account) {
      const stored = await readStoredAccount(store, account);
      return inPatience(openPortal(desk, stored?.value));
    },
    takeEvent: createEventTaker(terms, syncTerms),
    async adopt(id, customer) {
      const adopt = (account: Account): Account =>
        account.billing === undefined ? { ...account, billing: beginBilling(customer) } : account;
      await updateAccount(terms, id, adopt);
      return syncAccount(syncTerms, id);
    },
    sync,
  };
}
