import type { Account } from '../../../schemas/types.generated.js';
import { isAccountId } from '../../core/accounts/account.js';
import { hasEvent, type SubscriptionAlert } from '../../core/billing/billing-record.js';
import { eventRuleOf, type BillingEvent } from '../../core/billing/stripe-events.js';
import { GatewayError } from '../../core/problems.js';
import { readStoredAccount } from '../accounts/update-account.js';
import { withTimeLimit } from '../timing/time-limit.js';
import type { BillingPort } from './billing-port.js';
import { syncAccount, type SyncOptions } from './sync-account.js';

/**
 * Verifies and processes a webhook event, and returns the outcome. After an error Stripe can safely send the event again,
 * also if the account was updated: work that exceeded the time limit may still complete, and the answer of the store to a
 * write may be lost.
 * @throws GatewayError 'webhook-signature-invalid', 'request-malformed', 'billing-unavailable'; OperatorError 'damaged'; StoreError
 */
export type HandleEvent = (body: Uint8Array, signature: string | undefined) => Promise<EventOutcome>;

/** The outcomes of an event. The README's list is generated from this table. */
export const EVENT_OUTCOMES = {
  taken: 'The account is up to date with its subscriptions at Stripe.',
  duplicate: 'The event was already processed. Nothing was changed.',
  ignored: 'The gateway does not handle events of this type.',
  'customer-unknown': 'The customer is unknown or was deleted. Nothing was changed.',
  'account-foreign':
    'The customer does not match the record of the account that Stripe names. An operator must check it.',
  'mode-foreign': 'The event is of the other mode (live or test). An operator must check it.',
} as const;

export type EventOutcome = keyof typeof EVENT_OUTCOMES;

/** Something that an operator must check. `id` is the id of the object at Stripe. */
export type BillingAlert = {
  readonly what: SubscriptionAlert['outcome'] | 'mode-foreign';
  readonly id: string;
};

/** Options for `createEventHandler`. */
type EventHandlerOptions = {
  readonly billing: BillingPort;
  readonly onAlert: (alert: BillingAlert) => void;
};

/** Time limit of an event, so that it is answered within five seconds, before Stripe gives up. */
const EVENT_LIMIT_MS = 4_500;

/** Creates the handler of webhook events, which updates the account that an event is about from Stripe. */
export function createEventHandler(
  { billing, onAlert }: EventHandlerOptions,
  syncOptions: SyncOptions,
): HandleEvent {
  const { store, book } = syncOptions;
  return async (body, signature) => {
    const work = processEvent(billing.verifyEvent(body, signature));
    const detail = `The event was not processed within ${EVENT_LIMIT_MS / 1000} s. Send it again.`;
    return withTimeLimit(work, EVENT_LIMIT_MS, () => new GatewayError('billing-unavailable', { detail }));
  };

  async function processEvent(event: BillingEvent): Promise<EventOutcome> {
    if (eventRuleOf(event.type) === undefined) return 'ignored';
    if (event.isLive !== book.isLive) {
      onAlert({ what: 'mode-foreign', id: event.id });
      return 'mode-foreign';
    }
    const customer = await customerOf(event);
    if (customer === null) return 'customer-unknown';
    const { owner, isOurs } = await findOwner(customer, event.account);
    if (owner === undefined && !isOurs) return 'customer-unknown';
    // The owner is also updated if the event names another account, to which the subscription may have moved.
    if (owner === undefined || (event.account ?? owner.account) !== owner.account) {
      onAlert({ what: 'account-foreign', id: customer });
    }
    if (owner === undefined) return 'account-foreign';
    if (hasEvent(owner, event.id)) return 'duplicate';
    await syncAccount(syncOptions, owner.account, event.id);
    return 'taken';
  }

  async function customerOf({ customer, charge }: BillingEvent): Promise<string | null> {
    return customer ?? (charge === null ? null : billing.readChargeCustomer(charge));
  }

  /**
   * Finds the account with this customer: the account that the event names, otherwise the one that the customer's metadata
   * names. If neither has it, `isOurs` is false for a deleted customer and for one of another product in the same Stripe
   * account.
   */
  async function findOwner(
    customer: string,
    namedId: string | null,
  ): Promise<{ readonly owner: Account | undefined; readonly isOurs: boolean }> {
    const account = await readAccount(namedId);
    if (account?.billing?.customer === customer) return { owner: account, isOurs: true };
    const accountId = await billing.readCustomerAccount(customer);
    const owner = await readAccount(accountId);
    if (owner?.billing?.customer === customer) return { owner, isOurs: true };
    const isOurs =
      accountId !== null || (account !== undefined && !(await billing.readCustomer(customer)).isDeleted);
    return { owner: undefined, isOurs };
  }

  async function readAccount(id: string | null): Promise<Account | undefined> {
    return id !== null && isAccountId(id) ? (await readStoredAccount(store, id))?.value : undefined;
  }
}
