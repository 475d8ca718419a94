import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Account, AccountSubscription } from '../../../schemas/types.generated.js';
import { applyCustomerState, type CustomerState } from './billing-record.js';
import type { Drift } from './drift.js';
import { OUTCOMES, type Outcome, type PriceBook } from './grant-from-subscription.js';

/** Returns how an account's record differs from Stripe, and which of its subscriptions need an operator's attention. */
export function compareRecord(account: Account, state: CustomerState, book: PriceBook): Drift[] {
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
