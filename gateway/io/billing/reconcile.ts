import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Account, AccountSubscription } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { ACCOUNTS_PREFIX } from '../../core/account-keys.js';
import { isAccountId } from '../../core/account.js';
import { reckon } from '../../core/billing/billing-record.js';
import type { PriceBook } from '../../core/billing/grant-from-subscription.js';
import { ruleOf, type Subscription } from '../../core/billing/subscription.js';
import { readDocument } from '../account-documents.js';
import { isDamage } from '../store-touch.js';
import { readStoredAccount } from '../update-account.js';
import type { BillingPort } from './billing-port.js';

/** A difference between what is recorded and what Stripe says. */
export type Drift = {
  readonly account: string | null;
  readonly subscription: string | null;
  readonly cause: DriftCause;
  /** What is recorded, and what should be: the outcome, plan, chain and end. `null` where there is nothing. */
  readonly has: string | null;
  readonly should: string | null;
};

/** What is said of a cause of drift everywhere; `mends`: `reconcile --apply` puts it right. */
export const DRIFT_CAUSES = {
  'record-differs': { mends: true, meaning: 'the record says something else than Stripe: an event was lost' },
  'record-missing': {
    mends: true,
    meaning: 'Stripe has a subscription that is not recorded: its event was lost',
  },
  'record-damaged': { mends: false, meaning: 'the document of an account is damaged; see the runbook' },
  'account-unknown': {
    mends: false,
    meaning:
      'a subscription at Stripe is not of an account here, or of another customer than that of its account',
  },
} as const satisfies Record<string, { readonly mends: boolean; readonly meaning: string }>;

/** Why a record and Stripe differ. */
export type DriftCause = keyof typeof DRIFT_CAUSES;

/** What looking for drift needs. */
export type ReconcileTerms = {
  readonly store: ObjectStore;
  readonly billing: Pick<BillingPort, 'readCustomer' | 'listSubscriptions'>;
  readonly book: PriceBook;
};

/** Every drift: first of the accounts that are recorded, then of subscriptions that are of none of them. Nothing is written. */
export async function* findDrifts(terms: ReconcileTerms): AsyncGenerator<Drift> {
  for await (const { key } of terms.store.list(ACCOUNTS_PREFIX)) {
    const account = await readListed(terms.store, key);
    if (account === 'damaged') {
      yield { account: null, subscription: null, cause: 'record-damaged', has: key, should: null };
    } else if (account?.billing !== undefined) {
      yield* compare(account, terms);
    }
  }
  for await (const subscription of terms.billing.listSubscriptions()) {
    if (ruleOf(subscription.status)?.isOver === true || (await isOurs(terms.store, subscription))) continue;
    const { id, metadata, status } = subscription;
    const account = metadata['account'] ?? null;
    yield { account, subscription: id, cause: 'account-unknown', has: null, should: status };
  }
}

async function readListed(store: ObjectStore, key: string): Promise<Account | 'damaged' | undefined> {
  try {
    return (await readDocument(store, key, 'account'))?.value;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

async function* compare(account: Account, { billing, book }: ReconcileTerms): AsyncGenerator<Drift> {
  const before = account.billing?.subscriptions ?? {};
  const state = await billing.readCustomer(account.billing?.customer ?? '');
  const after = reckon(account, state, book).account.billing?.subscriptions ?? {};
  for (const id of Object.keys({ ...before, ...after }).sort()) {
    const [has, should] = [before[id], after[id]];
    if (should === undefined || (has !== undefined && canonicalJson(has) === canonicalJson(should))) continue;
    yield {
      account: account.account,
      subscription: id,
      cause: has === undefined ? 'record-missing' : 'record-differs',
      has: has === undefined ? null : describe(has),
      should: describe(should),
    };
  }
}

async function isOurs(store: ObjectStore, { metadata, customer }: Subscription): Promise<boolean> {
  const id = metadata['account'] ?? '';
  if (!isAccountId(id)) return false;
  return (await readStoredAccount(store, id))?.value.billing?.customer === customer;
}

function describe({
  outcome,
  plan,
  chain,
  until,
  period_end: periodEnd,
  cancel_at: cancelAt,
  status,
}: AccountSubscription): string {
  const parts = [`${status}/${outcome}`, plan ?? 'no plan', chain ?? '', `until ${until ?? '-'}`];
  return [...parts, `period ${periodEnd ?? '-'}`, cancelAt === null ? '' : `cancelled ${cancelAt}`]
    .filter((part) => part !== '')
    .join(' ');
}
