import { LRUCache } from 'lru-cache';
import type { Taken } from '../core/rate-headers.js';

/** How many requests a minute are answered, by this process alone: several copies give several times as many. */
export type RateLimits = {
  /** Counts a request of a key or session. */
  readonly takeKey: (id: string) => Taken;
  /** Counts a request of a group of addresses. */
  readonly takeAddress: (group: string) => Taken;
  /** Gives a request back to a group: its caller turned out to be known. */
  readonly giveBackAddress: (group: string) => void;
};

/** What limits need; `now` is in milliseconds. */
export type RateLimitsTerms = {
  readonly keyPerMinute: number;
  readonly addressPerMinute: number;
  readonly now: () => number;
};

const WINDOW_MS = 60_000;
/** Number of callers that are counted at a time; whoever was silent longest is forgotten first. */
const COUNTED = 100_000;

/** Limits by windows of a minute, each of which begins with a caller's first request. */
export function createRateLimits({ keyPerMinute, addressPerMinute, now }: RateLimitsTerms): RateLimits {
  const keys = createWindows(keyPerMinute, now);
  const addresses = createWindows(addressPerMinute, now);
  return {
    takeKey: (id) => keys.take(id),
    takeAddress: (group) => addresses.take(group),
    giveBackAddress: (group) => addresses.giveBack(group),
  };
}

type Windows = { readonly take: (name: string) => Taken; readonly giveBack: (name: string) => void };
type Window = { endMs: number; count: number };

function createWindows(limit: number, now: () => number): Windows {
  const windows = new LRUCache<string, Window>({ max: COUNTED });
  return {
    take(name) {
      const nowMs = now();
      let window = windows.get(name);
      if (window === undefined || window.endMs <= nowMs || window.endMs > nowMs + WINDOW_MS) {
        window = { endMs: nowMs + WINDOW_MS, count: 0 };
        windows.set(name, window);
      }
      const allowed = window.count < limit;
      if (allowed) window.count += 1; // a refused one is none: what is given back can be taken again
      return {
        allowed,
        limit,
        remaining: limit - window.count,
        resetSeconds: Math.max(1, Math.ceil((window.endMs - nowMs) / 1000)),
      };
    },
    giveBack(name) {
      const window = windows.get(name);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
  };
}
