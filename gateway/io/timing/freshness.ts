/**
 * Freshness of a cached value:
 * - `fresh`: it is used as it is.
 * - `aging`: it is used, and refreshed in the background (stale-while-revalidate, RFC 5861).
 * - `stale`: it is refreshed before it is used, and used anyway if the refresh fails (stale-if-error, RFC 5861).
 * - `expired`: it is no longer used.
 */
export type Freshness = 'fresh' | 'aging' | 'stale' | 'expired';

/** Ages, in milliseconds, from which a value is aging, stale and expired. */
type AgeLimits = { readonly agingMs: number; readonly staleMs: number; readonly expiredMs: number };

/** Returns the freshness of a value by its age. A negative age, after the clock was set back, counts as expired. */
export function freshnessByAge(ageMs: number, { agingMs, staleMs, expiredMs }: AgeLimits): Freshness {
  if (ageMs < 0 || ageMs >= expiredMs) return 'expired';
  if (ageMs >= staleMs) return 'stale';
  return ageMs >= agingMs ? 'aging' : 'fresh';
}
