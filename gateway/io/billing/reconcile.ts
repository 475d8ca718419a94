import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import type { Account } from '../../../schemas/types.generated.js';
import { ACCOUNTS_PREFIX } from '../../core/account-keys.js';
import { isAccountId } from '../../core/account.js';
import type { Drift, DriftCause } from '../../core/billing/drift.js';
import { compareRecord } from '../../core/billing/compare-record.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { ruleOf, type Subscription } from '../../core/billing/subscription.js';
import { GatewayError } from '../../core/problems.js';
import { readDocument } from '../account-documents.js';
import { isDamage } from '../store-touch.js';
import { readStoredAccount } from '../update-account.js';
import type { BillingDesk } from './billing-desk.js';
import type { BillingPort } from './billing-port.js';
import { isRefusal } from './stripe-billing.js';

/** What comparing with Stripe needs; without a desk nothing is written. */
export type ReconcileTerms = {
  readonly store: ObjectStore;
  readonly billing: Pick<BillingPort, 'readCustomer' | 'readCustomerAccount' | 'listSubscriptions'>;
  readonly book: PriceBook;
  readonly desk: Pick<BillingDesk, 'sync' | 'adopt'> | undefined;
};

/** A drift, and whether it was put right. */
export type ReconciledDrift = Drift & { readonly written: boolean };

/** After so many accounts in a row for which Stripe is silent, no more are asked for. */
const PATIENCE = 5;
const GIVEN_UP = `it was silent for ${PATIENCE} accounts in a row: the others were not compared`;

/**
 * Every drift: first of the accounts that are recorded, then of subscriptions that are of none of them. What fails for
 * one account is a drift of its own, and the others go on. @throws StoreError when the store does not answer
 */
export async function* reconcile(terms: ReconcileTerms): AsyncGenerator<ReconciledDrift> {
  let silent = 0;
  for await (const { key } of terms.store.list(ACCOUNTS_PREFIX)) {
    const { drifts, heard } = await reconcileKey(terms, key);
    yield* drifts;
    if (heard !== undefined) silent = heard ? 0 : silent + 1;
    if (silent >= PATIENCE) {
      yield { ...toDrift(null, null, 'stripe-unreadable'), should: GIVEN_UP };
      return;
    }
  }
  yield* reconcileOthers(terms);
}

/** What came of an account; `heard` says whether Stripe answered, where it was asked. */
type Reconciled = { readonly drifts: readonly ReconciledDrift[]; readonly heard?: boolean };

async function reconcileKey(terms: ReconcileTerms, key: string): Promise<Reconciled> {
  const account = await readListed(terms.store, key);
  if (account === 'damaged') return { drifts: [{ ...toDrift(null, null, 'record-damaged'), has: key }] };
  if (account?.billing === undefined) return { drifts: [] };
  const { account: id, billing } = account;
  try {
    const drifts = compareRecord(account, await terms.billing.readCustomer(billing.customer), terms.book);
    const isWritten = drifts.some(isMended) && (await terms.desk?.sync(id)) !== undefined;
    return {
      drifts: drifts.map((drift) => ({ ...drift, written: isWritten && isMended(drift) })),
      heard: true,
    };
  } catch (error) {
    return { drifts: [toFailed(error, id, null)], heard: !isSilence(error) };
  }
}

const isMended = ({ cause }: Drift): boolean => cause === 'record-differs' || cause === 'record-missing';

async function* reconcileOthers(terms: ReconcileTerms): AsyncGenerator<ReconciledDrift> {
  const listed = terms.billing.listSubscriptions()[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Subscription>;
    try {
      next = await listed.next();
    } catch (error) {
      yield toFailed(error, null, null);
      return;
    }
    if (next.done === true) return;
    const { status, id, metadata } = next.value;
    if (ruleOf(status)?.isOver === true || !isSoldHere(next.value, terms.book)) continue;
    try {
      const drift = await reconcileSubscription(terms, next.value);
      if (drift !== undefined) yield drift;
    } catch (error) {
      yield toFailed(error, metadata['account'] ?? null, id);
    }
  }
}

async function reconcileSubscription(
  { store, billing, desk }: ReconcileTerms,
  subscription: Subscription,
): Promise<ReconciledDrift | undefined> {
  const { id, customer, metadata, status } = subscription;
  const account = metadata['account'] ?? null;
  const owner = await findOwner(store, subscription);
  if (owner === 'itself') return undefined;
  if (owner === 'nobody' && account !== null && (await billing.readCustomerAccount(customer)) === account) {
    const isWritten = (await desk?.adopt(account, customer)) !== undefined;
    return { ...toDrift(account, id, 'customer-unrecorded'), should: status, written: isWritten };
  }
  return { ...toDrift(account, id, 'account-unknown'), should: status };
}

function toDrift(account: string | null, subscription: string | null, cause: DriftCause): ReconciledDrift {
  return { account, subscription, cause, has: null, should: null, written: false };
}

/** What failed, of an account or of all. @throws unknown what is a failure of neither Stripe nor the account. */
function toFailed(error: unknown, account: string | null, subscription: string | null): ReconciledDrift {
  if (error instanceof StoreError && error.code === 'locked') {
    return toDrift(account, subscription, 'record-busy');
  }
  if (!(error instanceof GatewayError && error.code === 'billing-unavailable')) throw error;
  const should = error.cause instanceof Error ? error.cause.message : error.message;
  return { ...toDrift(account, subscription, 'stripe-unreadable'), should };
}

/** Whether Stripe gave no answer, not even a refusal. */
function isSilence(error: unknown): boolean {
  return error instanceof GatewayError && !isRefusal(error.cause);
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
