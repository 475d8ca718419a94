/** A difference between a recorded subscription and Stripe, or a subscription that needs an operator's attention. */
export type Drift = {
  readonly account: string | null;
  readonly subscription: string | null;
  readonly cause: DriftCause;
  /** Recorded status, outcome, plan, chain and end of access; the key of a damaged record; `null` if nothing is recorded. */
  readonly has: string | null;
  /** The same according to Stripe, or an explanation; `null` if there is nothing at Stripe. */
  readonly should: string | null;
};

/** Properties of a cause. `isRepairable` is true if `reconcile --apply` corrects the record. */
type DriftRule = { readonly isRepairable: boolean; readonly meaning: string };

/** The causes of drift. The README's list is generated from this table. */
export const DRIFT_CAUSES = {
  'record-differs': {
    isRepairable: true,
    meaning: 'The record differs from Stripe, because an event was lost.',
  },
  'record-missing': {
    isRepairable: true,
    meaning: 'Stripe has a subscription that is not recorded, because an event was lost.',
  },
  'customer-unrecorded': {
    isRepairable: true,
    meaning:
      'Stripe has a customer for an account without a recorded customer, for example after an older record was restored.',
  },
  'needs-attention': {
    isRepairable: false,
    meaning: 'The subscription grants no access for a reason that an operator must fix.',
  },
  'account-unknown': {
    isRepairable: false,
    meaning:
      'The subscription belongs to no account here. Cancel it, or set `account` in its metadata and in the metadata of its customer. That account must have no other customer.',
  },
  'record-busy': {
    isRepairable: false,
    meaning: 'Other processes kept changing the account, or one holds its lock. Run again.',
  },
  'record-damaged': {
    isRepairable: false,
    meaning: 'The document of an account is damaged. Restore it as gateway/RUNBOOK.md describes.',
  },
  'stripe-unreadable': {
    isRepairable: false,
    meaning:
      'Stripe did not answer or refused the request, so nothing was compared. Run again, or run "gateway doctor".',
  },
} as const satisfies Record<string, DriftRule>;

export type DriftCause = keyof typeof DRIFT_CAUSES;
