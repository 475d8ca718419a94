/** A difference between what is recorded and what Stripe says, or what a person must look at. */
export type Drift = {
  readonly account: string | null;
  readonly subscription: string | null;
  readonly cause: DriftCause;
  /** What is recorded, and what should be: the outcome, plan, chain and end. `null` where there is nothing. */
  readonly has: string | null;
  readonly should: string | null;
};

/** What is said of a cause of drift everywhere; `mends`: `reconcile --apply` puts it right. */
export type DriftRule = { readonly mends: boolean; readonly meaning: string };

/** Every cause of drift. The README's table is tested against this one. */
export const DRIFT_CAUSES = {
  'record-differs': {
    mends: true,
    meaning: 'the record says something else than Stripe: an event was lost',
  },
  'record-missing': {
    mends: true,
    meaning: 'Stripe has a subscription that is not recorded: its event was lost',
  },
  'customer-unrecorded': {
    mends: true,
    meaning:
      'Stripe has a customer for an account that is none by its record: the record is older than the purchase',
  },
  'needs-attention': {
    mends: false,
    meaning: 'the record is as Stripe says, and gives nothing for a reason that somebody must look at',
  },
  'account-unknown': {
    mends: false,
    meaning:
      'a subscription of nobody here: set `account` in its metadata and in that of its customer, and the account must have no other customer; or cancel it',
  },
  'record-busy': {
    mends: false,
    meaning: 'others kept changing the account, or hold its lock: run again',
  },
  'record-damaged': {
    mends: false,
    meaning: 'the document of an account is damaged: see the runbook in infra/gateway.md',
  },
  'stripe-unreadable': {
    mends: false,
    meaning:
      'Stripe did not answer, or refused, so that nothing was compared: run again, or see "gateway doctor"',
  },
} as const satisfies Record<string, DriftRule>;

/** Why a record and Stripe differ. */
export type DriftCause = keyof typeof DRIFT_CAUSES;
