import { parseInstant } from '../../../schemas/dates.js';
import type { Account, Billing } from '../../../schemas/types.generated.js';
import type { Grant } from '../../core/access/entitlements.js';
import { createBoundedCache } from '../timing/bounded-cache.js';
import { REFRESH_LIMIT_MS, settlesWithin } from '../timing/time-limit.js';
import type { BillingService } from './billing-service.js';

/**
 * Updates of accounts from Stripe when an event may have been lost. Both functions return whether an update ended in
 * time, also if it failed. They never reject, and take at most `REFRESH_LIMIT_MS`.
 */
export type StripeRefresh = {
  /** Updates an account if a purchased grant has ended; at most once per hour and account, and sooner after a failure. */
  readonly refreshIfLapsed: (account: string, grants: readonly Grant[]) => Promise<boolean>;
  /** Does the same, and also updates an account while a purchase is pending: at most every few seconds, later every minute. */
  readonly refreshIfPendingOrLapsed: (account: Account, grants: readonly Grant[]) => Promise<boolean>;
};

/** Options for `createStripeRefresh`. */
type StripeRefreshOptions = {
  readonly service: Pick<BillingService, 'sync'>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the error of each update that failed. */
  readonly onError: (error: unknown) => void;
};

/** Maximum number of accounts whose last update is remembered. */
const MAX_ACCOUNTS = 100_000;
/** Minimum interval between two updates of an account with an ended grant. */
const LAPSE_INTERVAL_MS = 3_600_000;
/** Minimum interval after a failed update. */
const FAILURE_INTERVAL_MS = 5_000;
/** Minimum interval while a purchase is pending: first, and after `EARLY_CHECKOUT_MS`. */
const CHECKOUT_INTERVAL_MS = 5_000;
const LATE_CHECKOUT_INTERVAL_MS = 60_000;
const EARLY_CHECKOUT_MS = 900_000;
/** Lifetime of a Stripe checkout session, and the maximum clock skew between Stripe and the gateway. */
const CHECKOUT_SESSION_MS = 86_400_000;
const SKEW_MS = 60_000;

type Attempt = { readonly atMs: number; readonly hasFailed: boolean };

/** Creates a refresh. It does not use `FreshValues`, because callers need to know whether an update ran. */
export function createStripeRefresh({ service, now, onError }: StripeRefreshOptions): StripeRefresh {
  const attempts = createBoundedCache<Attempt>(MAX_ACCOUNTS);
  const running = new Map<string, Promise<void>>();

  /** Updates an account unless it was updated within `intervalMs`. Concurrent callers share one update. */
  async function refresh(account: string, intervalMs: number): Promise<boolean> {
    let work = running.get(account);
    if (work === undefined) {
      const { atMs, hasFailed } = attempts.get(account) ?? { atMs: -Infinity, hasFailed: false };
      const elapsedMs = now() - atMs;
      if (elapsedMs >= 0 && elapsedMs < (hasFailed ? FAILURE_INTERVAL_MS : intervalMs)) return false;
      work = start(account);
    }
    return settlesWithin(work, REFRESH_LIMIT_MS);
  }

  function start(account: string): Promise<void> {
    const atMs = now();
    const work = service
      .sync(account)
      .then(
        () => void attempts.set(account, { atMs, hasFailed: false }),
        (error: unknown) => {
          attempts.set(account, { atMs, hasFailed: true });
          onError(error);
        },
      )
      .finally(() => running.delete(account));
    running.set(account, work);
    return work;
  }

  const refreshIfLapsed = async (account: string, grants: readonly Grant[]): Promise<boolean> => {
    const nowMs = now();
    const isLapsed = grants.some(({ origin, untilMs }) => origin === 'stripe' && untilMs <= nowMs);
    return isLapsed && refresh(account, LAPSE_INTERVAL_MS);
  };
  return {
    refreshIfLapsed,
    async refreshIfPendingOrLapsed({ account, billing }, grants) {
      const intervalMs = pendingIntervalOf(billing, now());
      return intervalMs === undefined ? refreshIfLapsed(account, grants) : refresh(account, intervalMs);
    },
  };
}

/**
 * Returns the interval between updates while a checkout session can still be paid and no subscription since it was opened
 * is recorded with another status than `incomplete`; `undefined` otherwise.
 */
function pendingIntervalOf(billing: Billing | undefined, nowMs: number): number | undefined {
  const openedMs = parseInstant(billing?.checkout.session?.opened_at ?? '') ?? -Infinity;
  if (billing === undefined || nowMs > openedMs + CHECKOUT_SESSION_MS + SKEW_MS) return undefined;
  const isRecorded = Object.values(billing.subscriptions).some(
    ({ since, status }) => status !== 'incomplete' && (parseInstant(since) ?? 0) >= openedMs - SKEW_MS,
  );
  if (isRecorded) return undefined;
  return nowMs < openedMs + EARLY_CHECKOUT_MS ? CHECKOUT_INTERVAL_MS : LATE_CHECKOUT_INTERVAL_MS;
}

/** A refresh that does nothing, for a gateway without billing. */
export const NO_STRIPE_REFRESH: StripeRefresh = {
  refreshIfLapsed: () => Promise.resolve(false),
  refreshIfPendingOrLapsed: () => Promise.resolve(false),
};
