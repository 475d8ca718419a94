import { LRUCache } from 'lru-cache';
import type { Account } from '../../../schemas/types.generated.js';
import { isActive, type Grant } from '../../core/entitlements.js';
import type { BillingDesk } from './billing-desk.js';

/** Looks at Stripe where an event may have been lost. None of it ever rejects. */
export type Renewals = {
  /** Looks where a bought grant has just ended, once an hour for each account; resolves whether it looked. */
  readonly onLapse: (account: string, grants: readonly Grant[]) => Promise<boolean>;
  /** Looks while somebody who has begun to buy waits for access, once in five seconds; resolves whether it looked. */
  readonly onCheckout: (account: Account, grants: readonly Grant[]) => Promise<boolean>;
};

/** What renewals need; `now` is in milliseconds since the epoch. */
export type RenewalsTerms = {
  readonly desk: Pick<BillingDesk, 'sync'>;
  readonly now: () => number;
  /** Told of each look that failed. */
  readonly onError: (error: unknown) => void;
};

const ACCOUNTS = 100_000;
const LAPSE_PAUSE_MS = 3_600_000;
const CHECKOUT_PAUSE_MS = 5_000;

/** Renewals at a desk. */
export function createRenewals({ desk, now, onError }: RenewalsTerms): Renewals {
  const lastMs = new LRUCache<string, number>({ max: ACCOUNTS });

  async function look(account: string, pauseMs: number): Promise<boolean> {
    const last = lastMs.get(account) ?? -Infinity;
    if (now() - last < pauseMs && now() >= last) return false;
    lastMs.set(account, now());
    await desk.sync(account).catch(onError);
    return true;
  }

  return {
    async onLapse(account, grants) {
      const nowMs = now();
      const isLapsed = grants.some(({ origin, untilMs }) => origin === 'stripe' && untilMs <= nowMs);
      if (!isLapsed || grants.some((grant) => isActive(grant, nowMs))) return false;
      return look(account, LAPSE_PAUSE_MS);
    },
    async onCheckout({ account, billing }, grants) {
      if (!billing?.checkout.session || grants.some((grant) => isActive(grant, now()))) return false;
      return look(account, CHECKOUT_PAUSE_MS);
    },
  };
}

/** Where nothing is sold. */
export const NO_RENEWALS: Renewals = {
  onLapse: () => Promise.resolve(false),
  onCheckout: () => Promise.resolve(false),
};
