import type { Account } from '../../../schemas/types.generated.js';
import { isAccountId } from '../../core/account.js';
import { hasEvent, type BillingAlert } from '../../core/billing/billing-record.js';
import type { Purchase } from '../../core/billing/checkout-request.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { eventRuleOf, type BillingEvent } from '../../core/billing/stripe-events.js';
import { GatewayError } from '../../core/problems.js';
import { readStoredAccount, type UpdateTerms } from '../update-account.js';
import { withinTime } from '../within-time.js';
import type { BillingPort } from './billing-port.js';
import { openCheckout, openPortal, type OpenCheckout } from './checkout.js';
import { syncAccount } from './sync-account.js';

/** Selling: what the routes and commands ask for. */
export type BillingDesk = {
  /** @throws GatewayError 'already-subscribed', 'billing-unavailable' */
  readonly openCheckout: (account: string, wanted: Purchase) => Promise<OpenCheckout>;
  /** Where the account may change, pay and cancel. @throws GatewayError 'subscription-inactive', 'billing-unavailable' */
  readonly openPortal: (account: string) => Promise<string>;
  /**
   * Deals with an event of a signed body; resolves what came of it. Whatever fails leaves nothing written, so that the
   * event may come again. @throws GatewayError 'webhook-signature-invalid', 'billing-unavailable'; StoreError
   */
  readonly takeEvent: (body: Uint8Array, signature: string | undefined) => Promise<EventOutcome>;
  /** Brings an account up to what Stripe says by now. @throws GatewayError 'billing-unavailable'; StoreError */
  readonly sync: (account: string) => Promise<Account>;
};

/** What came of an event. The README's table is tested against this one. */
export const EVENT_OUTCOMES = {
  taken:
    "the account's subscriptions were read again, and what they give was written down with the event's id",
  duplicate: 'it was dealt with before; nothing was done',
  ignored: 'its type does not concern us',
  'customer-unknown': 'it is about no customer',
  'account-foreign': 'its customer is not that of an account here; somebody must look',
  'mode-foreign': 'it is of the other mode, live or test; somebody must look',
} as const;

/** What came of an event. */
export type EventOutcome = keyof typeof EVENT_OUTCOMES;

/** Something that a person must look at: what it is, and the thing at Stripe that it is about. */
export type DeskAlert = { readonly what: BillingAlert['outcome'] | 'mode-foreign'; readonly id: string };

/** What a desk needs; `now` is in milliseconds since the epoch. */
export type BillingDeskTerms = UpdateTerms & {
  readonly billing: BillingPort;
  readonly book: PriceBook;
  readonly now: () => number;
  readonly onAlert: (alert: DeskAlert) => void;
};

const MINUTE_MS = 60_000;
/** Whoever sends an event waits for five seconds. */
const EVENT_MS = 4_500;

/** The desk of a gateway that sells. */
export function createBillingDesk(terms: BillingDeskTerms): BillingDesk {
  const { billing, store, now, onAlert } = terms;
  const syncTerms = {
    ...terms,
    onAlert: ({ outcome, subscription }: BillingAlert) => onAlert({ what: outcome, id: subscription }),
  };
  return {
    openCheckout: (account, wanted) => openCheckout(terms, account, wanted),
    async openPortal(account) {
      const stored = await readStoredAccount(store, account);
      return openPortal(terms, stored?.value, Math.floor(now() / MINUTE_MS));
    },
    async takeEvent(body, signature) {
      const work = takeEvent(billing.verifyEvent(body, signature));
      if (await withinTime(work, EVENT_MS)) return work;
      work.catch(() => undefined); // it goes on; the event comes again all the same
      throw new GatewayError('billing-unavailable');
    },
    sync: (account) => syncAccount(syncTerms, account),
  };

  async function takeEvent(event: BillingEvent): Promise<EventOutcome> {
    if (eventRuleOf(event.type) === undefined) return 'ignored';
    if (event.isLive !== terms.book.isLive) {
      onAlert({ what: 'mode-foreign', id: event.id });
      return 'mode-foreign';
    }
    const customer = await customerOf(event);
    if (customer === null) return 'customer-unknown';
    const account = await accountOf(event, customer);
    if (account?.billing?.customer !== customer) {
      onAlert({ what: 'account-foreign', id: customer });
      return 'account-foreign';
    }
    if (hasEvent(account, event.id)) return 'duplicate';
    await syncAccount(syncTerms, account.account, event.id);
    return 'taken';
  }

  async function customerOf({ customer, charge }: BillingEvent): Promise<string | null> {
    return customer ?? (charge === null ? null : billing.readChargeCustomer(charge));
  }

  async function accountOf(event: BillingEvent, customer: string): Promise<Account | undefined> {
    const id = event.account ?? (await billing.readCustomer(customer)).account;
    return id !== null && isAccountId(id) ? (await readStoredAccount(store, id))?.value : undefined;
  }
}
