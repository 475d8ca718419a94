import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import type { Account, AccountSubscription } from '../../../schemas/types.generated.js';
import { ACCOUNTS_PREFIX } from '../../../schemas/paths.js';
import { isAccountId } from '../../core/accounts/account.js';
import type { Drift, DriftCause } from '../../core/billing/drift.js';
import { type PriceBook, OUTCOMES, type Outcome } from '../../core/billing/grant-from-subscription.js';
import { statusRuleOf, type Subscription } from '../../core/billing/subscription.js';
import { GatewayError } from '../../core/problems.js';
import { isDamage } from '../accounts/store-health.js';
import { readAccountAt, readStoredAccount } from '../accounts/update-account.js';
import type { BillingService } from './billing-service.js';
import type { BillingPort } from './billing-port.js';
import { isRefusal } from './stripe/stripe-refusal.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { applyCustomerState, type CustomerState } from '../../core/billing/billing-record.js';

/** Options for `reconcile`. Without a service nothing is written. */
type ReconcileAccountsOptions = {
  readonly store: ObjectStore;
  readonly billing: Pick<BillingPort, 'readCustomer' | 'readCustomerAccount' | 'listSubscriptions'>;
  readonly book: PriceBook;
  readonly service: Pick<BillingService, 'sync' | 'adopt'> | undefined;
};

/** A difference, and whether it was corrected. */
export type ReconciledDrift = Drift & { readonly written: boolean };

/** The run ends when Stripe does not answer for this many accounts in a row. */
const MAX_UNANSWERED = 5;
const GAVE_UP = `Stripe did not answer for ${MAX_UNANSWERED} accounts in a row, so the others were not compared`;

/**
 * Yields every difference: first those of recorded accounts, then subscriptions that belong to none of them. A failure for
 * one account is reported as a difference, and the others are still compared. @throws StoreError when the store fails
 */
export async function* reconcile(options: ReconcileAccountsOptions): AsyncGenerator<ReconciledDrift> {
  let unanswered = 0;
  for await (const { key } of options.store.list(ACCOUNTS_PREFIX)) {
    const { drifts, hasAnswered } = await reconcileKey(options, key);
    yield* drifts;
    if (hasAnswered !== undefined) unanswered = hasAnswered ? 0 : unanswered + 1;
    if (unanswered >= MAX_UNANSWERED) {
      yield { ...toDrift(null, null, 'stripe-unreadable'), should: GAVE_UP };
      return;
    }
  }
  yield* reconcileUnrecorded(options);
}

type Reconciled = {
  readonly drifts: readonly ReconciledDrift[];
  /** False if Stripe did not answer; absent if no request was sent. */
  readonly hasAnswered?: boolean;
};

async function reconcileKey(options: ReconcileAccountsOptions, key: string): Promise<Reconciled> {
  const account = await readListed(options.store, key);
  if (account === 'damaged') return { drifts: [{ ...toDrift(null, null, 'record-damaged'), has: key }] };
  if (account?.billing === undefined) return { drifts: [] };
  const { account: id, billing } = account;
  try {
    const drifts = compareRecord(account, await options.billing.readCustomer(billing.customer), options.book);
    const isWritten = drifts.some(isCorrectedBySync) && (await options.service?.sync(id)) !== undefined;
    return {
      drifts: drifts.map((drift) => ({ ...drift, written: isWritten && isCorrectedBySync(drift) })),
      hasAnswered: true,
    };
  } catch (error) {
    return { drifts: [toFailure(error, id, null)], hasAnswered: !isUnanswered(error) };
  }
}

const isCorrectedBySync = ({ cause }: Drift): boolean =>
  cause === 'record-differs' || cause === 'record-missing';

/** Compares the subscriptions at Stripe that no recorded account has. */
async function* reconcileUnrecorded(options: ReconcileAccountsOptions): AsyncGenerator<ReconciledDrift> {
  const subscriptions = options.billing.listSubscriptions()[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Subscription>;
    try {
      next = await subscriptions.next();
    } catch (error) {
      yield toFailure(error, null, null);
      return;
    }
    if (next.done === true) return;
    const { status, id, metadata } = next.value;
    if (statusRuleOf(status)?.isTerminal === true || !isOurs(next.value, options.book)) continue;
    try {
      const drift = await reconcileSubscription(options, next.value);
      if (drift !== undefined) yield drift;
    } catch (error) {
      yield toFailure(error, metadata['account'] ?? null, id);
    }
  }
}

async function reconcileSubscription(
  { store, billing, service }: ReconcileAccountsOptions,
  subscription: Subscription,
): Promise<ReconciledDrift | undefined> {
  const { id, customer, metadata, status } = subscription;
  const account = metadata['account'] ?? null;
  const ownership = await checkOwner(store, subscription);
  if (ownership === 'recorded') return undefined;
  if (
    ownership === 'unrecorded' &&
    account !== null &&
    (await billing.readCustomerAccount(customer)) === account
  ) {
    const isWritten = (await service?.adopt(account, customer)) !== undefined;
    return { ...toDrift(account, id, 'customer-unrecorded'), should: status, written: isWritten };
  }
  return { ...toDrift(account, id, 'account-unknown'), should: status };
}

function toDrift(account: string | null, subscription: string | null, cause: DriftCause): ReconciledDrift {
  return { account, subscription, cause, has: null, should: null, written: false };
}

/** Converts a failure of Stripe or a locked account into a difference. Rethrows any other error. */
function toFailure(error: unknown, account: string | null, subscription: string | null): ReconciledDrift {
  if (error instanceof StoreError && error.code === 'locked') {
    return toDrift(account, subscription, 'record-busy');
  }
  if (!(error instanceof GatewayError && error.code === 'billing-unavailable')) throw error;
  const should = error.cause instanceof Error ? error.cause.message : error.message;
  return { ...toDrift(account, subscription, 'stripe-unreadable'), should };
}

/** Returns whether Stripe gave no answer, not even a refusal. */
function isUnanswered(error: unknown): boolean {
  return error instanceof GatewayError && !isRefusal(error.cause);
}

async function readListed(store: ObjectStore, key: string): Promise<Account | 'damaged' | undefined> {
  try {
    return (await readAccountAt(store, key))?.value;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/** Returns whether this gateway sold a subscription. Another product may use the same Stripe account. */
function isOurs({ metadata, items }: Subscription, { prices }: PriceBook): boolean {
  return metadata['account'] !== undefined || items.some(({ price }) => prices.has(price));
}

/**
 * Returns whether the account in a subscription's metadata has its customer: `recorded` if so, `unrecorded` if the account
 * has no customer yet, `unknown` if the metadata names no account or the account has another customer.
 */
async function checkOwner(
  store: ObjectStore,
  { metadata, customer }: Subscription,
): Promise<'recorded' | 'unrecorded' | 'unknown'> {
  const id = metadata['account'] ?? '';
  if (!isAccountId(id)) return 'unknown';
  try {
    const billing = (await readStoredAccount(store, id))?.value.billing;
    if (billing === undefined) return 'unrecorded';
    return billing.customer === customer ? 'recorded' : 'unknown';
  } catch (error) {
    if (isDamage(error)) return 'recorded'; // the damage was already reported
    throw error;
  }
}

/** Returns how an account's record differs from Stripe, and which of its subscriptions need an operator's attention. */
function compareRecord(account: Account, state: CustomerState, book: PriceBook): Drift[] {
  const before = account.billing?.subscriptions ?? {};
  const after = applyCustomerState(account, state, book).account.billing?.subscriptions ?? {};
  const listed = new Set(state.subscriptions.map(({ id }) => id));
  return Object.entries(after).flatMap(([id, should]) => {
    const has = before[id];
    const drift = {
      account: account.account,
      subscription: id,
      has: has === undefined ? null : describe(has),
    };
    const drifts: Drift[] = [];
    if (has === undefined || canonicalJson(has) !== canonicalJson(should)) {
      const cause = has === undefined ? 'record-missing' : 'record-differs';
      drifts.push({ ...drift, cause, should: describe(should) });
    }
    const { alerts, meaning } = OUTCOMES[should.outcome as Outcome]; // only names of `OUTCOMES` are recorded
    // One that Stripe no longer lists cannot be corrected there; it is reported once, when its record changes.
    if (alerts && listed.has(id)) drifts.push({ ...drift, cause: 'needs-attention', should: meaning });
    return drifts;
  });
}

function describe(record: AccountSubscription): string {
  const { outcome, plan, chain, until, period_end: periodEnd, cancel_at: cancelAt, status } = record;
  const parts = [`${status}/${outcome}`, plan ?? 'no plan', chain ?? '', `until ${until ?? '-'}`];
  return [...parts, `period ends ${periodEnd ?? '-'}`, cancelAt === null ? '' : `cancels at ${cancelAt}`]
    .filter((part) => part !== '')
    .join(' ');
}
