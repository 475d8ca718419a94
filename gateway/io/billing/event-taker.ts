import type { Account } from '../../../schemas/types.generated.js';
import { isAccountId } from '../../core/account.js';
import { hasEvent, type BillingAlert } from '../../core/billing/billing-record.js';
import { eventRuleOf, type BillingEvent } from '../../core/billing/stripe-events.js';
import { GatewayError } from '../../core/problems.js';
import { readStoredAccount } from '../update-account.js';
import { withinTime } from '../within-time.js';
import type { BillingPort } from './billing-port.js';
import { syncAccount, type SyncTerms } from './sync-account.js';

/**
 * Deals with an event of a signed body; resolves what came of it. Whatever fails leaves nothing written; what takes too
 * long may yet be. The event may come again in either case.
 * @throws GatewayError 'webhook-signature-invalid', 'billing-unavailable'; StoreError
 */
export type TakeEvent = (body: Uint8Array, signature: string | undefined) => Promise<EventOutcome>;

/** What came of an event. The README's table is tested against this one. */
export const EVENT_OUTCOMES = {
  taken:
    "the account's subscriptions were read again, and what they give was written down with the event's id",
  duplicate: 'it was dealt with before; nothing was done',
  ignored: 'its type does not concern us',
  'customer-unknown': 'it is about no customer of ours, or about one that was deleted; nothing was done',
  'account-foreign': 'its customer is not that of an account here; somebody must look',
  'mode-foreign': 'it is of the other mode, live or test; somebody must look',
} as const;

/** What came of an event. */
export type EventOutcome = keyof typeof EVENT_OUTCOMES;

/** Something that a person must look at: what it is, and the thing at Stripe that it is about. */
export type DeskAlert = { readonly what: BillingAlert['outcome'] | 'mode-foreign'; readonly id: string };

/** What taking events needs. */
export type EventTerms = { readonly billing: BillingPort; readonly onAlert: (alert: DeskAlert) => void };

/** Whoever sends an event waits for five seconds. */
const EVENT_MS = 4_500;

/** Takes events, and reads the subscriptions of the account that each is about. */
export function createEventTaker({ billing, onAlert }: EventTerms, syncTerms: SyncTerms): TakeEvent {
  const { store, book } = syncTerms;
  return async (body, signature) => {
    const work = takeEvent(billing.verifyEvent(body, signature));
    if (await withinTime(work, EVENT_MS)) return work;
    work.catch(() => undefined); // it goes on; the event comes again all the same
    throw new GatewayError('billing-unavailable', {
      detail: `the event was not dealt with within ${EVENT_MS / 1000} s; send it again`,
    });
  };

  async function takeEvent(event: BillingEvent): Promise<EventOutcome> {
    if (eventRuleOf(event.type) === undefined) return 'ignored';
    if (event.isLive !== book.isLive) {
      onAlert({ what: 'mode-foreign', id: event.id });
      return 'mode-foreign';
    }
    const customer = await customerOf(event);
    if (customer === null) return 'customer-unknown';
    const { owner, isOurs } = await findOwner(customer, event.account);
    if (owner === undefined && !isOurs) return 'customer-unknown';
    if (owner === undefined || (event.account ?? owner.account) !== owner.account) {
      onAlert({ what: 'account-foreign', id: customer });
    }
    if (owner === undefined) return 'account-foreign';
    if (hasEvent(owner, event.id)) return 'duplicate';
    await syncAccount(syncTerms, owner.account, event.id);
    return 'taken';
  }

  async function customerOf({ customer, charge }: BillingEvent): Promise<string | null> {
    return customer ?? (charge === null ? null : billing.readChargeCustomer(charge));
  }

  /**
   * The account whose customer it is: the one that is named, or else the one that the customer names. A customer that was
   * deleted, or of something else that is sold by the same Stripe account, is none of ours.
   */
  async function findOwner(
    customer: string,
    named: string | null,
  ): Promise<{ readonly owner: Account | undefined; readonly isOurs: boolean }> {
    const account = await readAccount(named);
    if (account?.billing?.customer === customer) return { owner: account, isOurs: true };
    const said = await billing.readCustomerAccount(customer);
    const owner = await readAccount(said);
    if (owner?.billing?.customer === customer) return { owner, isOurs: true };
    const isOurs =
      said !== null || (account !== undefined && !(await billing.readCustomer(customer)).isDeleted);
    return { owner: undefined, isOurs };
  }

  async function readAccount(id: string | null): Promise<Account | undefined> {
    return id !== null && isAccountId(id) ? (await readStoredAccount(store, id))?.value : undefined;
  }
}
