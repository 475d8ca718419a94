import { LRUCache } from 'lru-cache';
import { parseInstant } from '../../../schemas/dates.js';
import type { Account, Billing } from '../../../schemas/types.generated.js';
import type { Grant } from '../../core/entitlements.js';
import { withinTime } from '../within-time.js';
import type { BillingDesk } from './billing-desk.js';

/** Looks at Stripe where an event may have been lost. None of it ever rejects, or takes longer than three seconds. */
export type Renewals = {
  /** Looks where something that was bought has ended, once an hour for each account; resolves whether it looked. */
  readonly onLapse: (account: string, grants: readonly Grant[]) => Promise<boolean>;
  /** Looks as well while somebody who has begun to buy waits for it, every few seconds; resolves whether it looked. */
  readonly onVisit: (account: Account, grants: readonly Grant[]) => Promise<boolean>;
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
/** While somebody surely waits for a purchase, and afterwards. */
const CHECKOUT_PAUSE_MS = 5_000;
const LATE_PAUSE_MS = 60_000;
const SOON_MS = 900_000;
/** After a look that failed. */
const FAILURE_PAUSE_MS = 5_000;
/** How long a request waits for a look; the look goes on. */
const PATIENCE_MS = 3_000;
/** How long a session can be paid in (Stripe: a day), and what clocks may differ by. */
const SESSION_MS = 86_400_000;
const SKEW_MS = 60_000;

type Look = { readonly atMs: number; readonly hasFailed: boolean };

/** Renewals at a desk. */
export function createRenewals({ desk, now, onError }: RenewalsTerms): Renewals {
  const looks = new LRUCache<string, Look>({ max: ACCOUNTS });
  const underWay = new Map<string, Promise<void>>();

  /** All who ask while a look is under way wait for that one. */
  async function look(account: string, pauseMs: number): Promise<boolean> {
    let work = underWay.get(account);
    if (work === undefined) {
      const { atMs, hasFailed } = looks.get(account) ?? { atMs: -Infinity, hasFailed: false };
      const sinceMs = now() - atMs;
      if (sinceMs >= 0 && sinceMs < (hasFailed ? FAILURE_PAUSE_MS : pauseMs)) return false;
      work = begin(account);
    }
    return withinTime(work, PATIENCE_MS);
  }

  function begin(account: string): Promise<void> {
    const atMs = now();
    const work = desk
      .sync(account)
      .then(
        () => void looks.set(account, { atMs, hasFailed: false }),
        (error: unknown) => {
          looks.set(account, { atMs, hasFailed: true });
          onError(error);
        },
      )
      .finally(() => underWay.delete(account));
    underWay.set(account, work);
    return work;
  }

  const onLapse = async (account: string, grants: readonly Grant[]): Promise<boolean> => {
    const nowMs = now();
    const isLapsed = grants.some(({ origin, untilMs }) => origin === 'stripe' && untilMs <= nowMs);
    return isLapsed && look(account, LAPSE_PAUSE_MS);
  };
  return {
    onLapse,
    async onVisit({ account, billing }, grants) {
      const pauseMs = pauseOf(billing, now());
      return pauseMs === undefined ? onLapse(account, grants) : look(account, pauseMs);
    },
  };
}

/** How long to wait between looks while a session may be paid in and nothing is settled that it led to. */
function pauseOf(billing: Billing | undefined, nowMs: number): number | undefined {
  const openedMs = parseInstant(billing?.checkout.session?.opened_at ?? '') ?? -Infinity;
  if (billing === undefined || nowMs > openedMs + SESSION_MS + SKEW_MS) return undefined;
  const isSettled = Object.values(billing.subscriptions).some(
    ({ since, status }) => status !== 'incomplete' && (parseInstant(since) ?? 0) >= openedMs - SKEW_MS,
  );
  if (isSettled) return undefined;
  return nowMs < openedMs + SOON_MS ? CHECKOUT_PAUSE_MS : LATE_PAUSE_MS;
}

/** Where nothing is sold. */
export const NO_RENEWALS: Renewals = {
  onLapse: () => Promise.resolve(false),
  onVisit: () => Promise.resolve(false),
};
