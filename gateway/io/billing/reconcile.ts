import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { Account } from '../../../schemas/types.generated.js';
import { ACCOUNTS_PREFIX } from '../../core/account-keys.js';
import { isAccountId } from '../../core/account.js';
import type { Drift } from '../../core/billing/drift.js';
import { compareRecord } from '../../core/billing/compare-record.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { ruleOf, type Subscription } from '../../core/billing/subscription.js';
import { GatewayError } from '../../core/problems.js';
import { readDocument } from '../account-documents.js';
import { isDamage } from '../store-touch.js';
import { readStoredAccount } from '../update-account.js';
import type { BillingDesk } from './billing-desk.js';
import type { BillingPort } from './billing-port.js';

/** What comparing with Stripe needs; without a desk nothing is written. */
export type ReconcileTerms = {
  readonly store: ObjectStore;
  readonly billing: Pick<BillingPort, 'readCustomer' | 'readCustomerAccount' | 'listSubscriptions'>;
  readonly book: PriceBook;
  readonly desk: Pick<BillingDesk, 'sync' | 'adopt'> | undefined;
};

/** A drift, and whether it was put right. */
export type ReconciledDrift = Drift & { readonly written: boolean };

/** After so many accounts in a row of which Stripe says nothing, no more are asked for. */
const PATIENCE = 5;

/**
 * Every drift: first of the accounts that are recorded, then of subscriptions that are of none of them. What fails for
 * one account is a drift of its own, and the others go on. @throws StoreError
 */
export async function* reconcile(terms: ReconcileTerms): AsyncGenerator<ReconciledDrift> {
  let silent = 0;
  for await (const { key } of terms.store.list(ACCOUNTS_PREFIX)) {
    const drifts = await reconcileKey(terms, key);
    yield* drifts;
    silent = drifts.some(({ cause }) => cause === 'stripe-unreadable') ? silent + 1 : 0;
    if (silent >= PATIENCE) return;
  }
  yield* reconcileOthers(terms);
}

async function reconcileKey(terms: ReconcileTerms, key: string): Promise<ReconciledDrift[]> {
  const account = await readListed(terms.store, key);
  if (account === 'damaged') {
    return [
      { account: null, subscription: null, cause: 'record-damaged', has: key, should: null, written: false },
    ];
  }
  if (account?.billing === undefined) return [];
  const { account: id, billing } = account;
  const work = async (): Promise<ReconciledDrift[]> => {
    const drifts = compareRecord(account, await terms.billing.readCustomer(billing.customer), terms.book);
    const isWritten = drifts.some(isMended) && (await terms.desk?.sync(id)) !== undefined;
    return drifts.map((drift) => ({ ...drift, written: isWritten && isMended(drift) }));
  };
  return work().catch((error: unknown) => [toUnreadable(error, id, null)]);
}

const isMended = ({ cause }: Drift): boolean => cause === 'record-differs' || cause === 'record-missing';

async function* reconcileOthers(terms: ReconcileTerms): AsyncGenerator<ReconciledDrift> {
  const { store, billing, book, desk } = terms;
  try {
    for await (const subscription of billing.listSubscriptions()) {
      if (ruleOf(subscription.status)?.isOver === true || !isSoldHere(subscription, book)) continue;
      const { id, customer, metadata, status } = subscription;
      const account = metadata['account'] ?? null;
      const drift = { account, subscription: id, has: null, should: status };
      const owner = await findOwner(store, subscription);
      if (owner === 'itself') continue;
      if (
        owner === 'nobody' &&
        account !== null &&
        (await billing.readCustomerAccount(customer)) === account
      ) {
        const isWritten = (await desk?.adopt(account, customer)) !== undefined;
        yield { ...drift, cause: 'customer-unrecorded', written: isWritten };
      } else {
        yield { ...drift, cause: 'account-unknown', written: false };
      }
    }
  } catch (error) {
    yield toUnreadable(error, null, null);
  }
}

/** What Stripe did not say, of an account or of all. @throws unknown what is no failure of Stripe's. */
function toUnreadable(error: unknown, account: string | null, subscription: string | null): ReconciledDrift {
  if (!(error instanceof GatewayError && error.code === 'billing-unavailable')) throw error;
  const should = error.cause instanceof Error ? error.cause.message : error.message;
  return { account, subscription, cause: 'stripe-unreadable', has: null, should, written: false };
}

async function readListed(store: ObjectStore, key: string): Promise<Account | 'damaged' | undefined> {
  try {
    return (await readDocument(store, key, 'account'))?.value;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/** Whether a subscription has to do with us: others may sell by the same Stripe account. */
function isSoldHere({ metadata, items }: Subscription, { prices }: PriceBook): boolean {
  return metadata['account'] !== undefined || items.some(({ price }) => prices.has(price));
}

/** Whose a subscription is: of the account that it names, of another customer's, or of one that is no customer yet. */
async function findOwner(
  store: ObjectStore,
  { metadata, customer }: Subscription,
): Promise<'itself' | 'another' | 'nobody'> {
  const id = metadata['account'] ?? '';
  if (!isAccountId(id)) return 'another';
  try {
    const billing = (await readStoredAccount(store, id))?.value.billing;
    if (billing === undefined) return 'nobody';
    return billing.customer === customer ? 'itself' : 'another';
  } catch (error) {
    if (isDamage(error)) return 'itself'; // its document is told already
    throw error;
  }
}
