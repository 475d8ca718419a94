import { ACTIVE_KEYS } from '../../core/accounts/account.js';
import type { AddressPolicy, LimitResult } from '../../core/http/rate-headers.js';
import { createBoundedCache } from '../timing/bounded-cache.js';

/** Limits of requests per minute. Each process counts on its own, so several copies allow several times as many. */
export type RateLimits = {
  /** Counts a request with a key or session, unless the limit is reached. */
  readonly consumeKey: (id: string) => LimitResult;
  /**
   * Counts a request with any key of an account, unless the limit is reached. The account's limit is that of
   * `ACTIVE_KEYS` keys together, so that replacing a revoked key grants no further requests.
   */
  readonly consumeAccount: (account: string) => LimitResult;
  /** Counts a request of a group of addresses under a policy, unless that limit is reached. */
  readonly consumeAddress: (group: string, policy: AddressPolicy) => LimitResult;
  /** Subtracts a request of a group, for a caller whose credential turned out to be valid, or could not be verified. */
  readonly refundAddress: (group: string, policy: AddressPolicy) => void;
};

/** Options for `createRateLimits`. */
type RateLimitsOptions = {
  readonly keyPerMinute: number;
  readonly addressPerMinute: number;
  readonly now: () => number;
};

const WINDOW_MS = 60_000;
/** Maximum number of callers; the least recently active one is forgotten first. */
const MAX_CALLERS = 100_000;

/**
 * Creates limits with windows of a minute, which start with the first request of a caller.
 * rate-limiter-flexible is not used: in memory it keeps a timer and 490 bytes for each caller without an upper bound, so
 * that requests from many IPv6 addresses fill the memory.
 */
export function createRateLimits({ keyPerMinute, addressPerMinute, now }: RateLimitsOptions): RateLimits {
  const keys = createWindows(keyPerMinute, now);
  const accounts = createWindows(ACTIVE_KEYS * keyPerMinute, now);
  const addresses = {
    address: createWindows(addressPerMinute, now),
    credentials: createWindows(addressPerMinute, now),
    links: createWindows(ACTIVE_KEYS * keyPerMinute, now), // as many links as all keys of an account obtain
  };
  return {
    consumeKey: (id) => keys.consume(id),
    consumeAccount: (account) => accounts.consume(account),
    consumeAddress: (group, policy) => addresses[policy].consume(group),
    refundAddress: (group, policy) => addresses[policy].refund(group),
  };
}

type Windows = { readonly consume: (name: string) => LimitResult; readonly refund: (name: string) => void };
type Window = { endMs: number; count: number };

function createWindows(limit: number, now: () => number): Windows {
  const windows = createBoundedCache<Window>(MAX_CALLERS);
  return {
    consume(name) {
      const nowMs = now();
      let window = windows.get(name);
      const isFuture = window !== undefined && window.endMs > nowMs + WINDOW_MS; // the clock was set back
      if (window === undefined || window.endMs <= nowMs || isFuture) {
        window = { endMs: nowMs + WINDOW_MS, count: 0 };
        windows.set(name, window);
      }
      const allowed = window.count < limit;
      if (allowed) window.count += 1; // refused requests do not count, so that a refund takes effect at once
      return {
        allowed,
        limit,
        remaining: limit - window.count,
        resetSeconds: Math.max(1, Math.ceil((window.endMs - nowMs) / 1000)),
      };
    },
    refund(name) {
      const window = windows.get(name);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
  };
}
