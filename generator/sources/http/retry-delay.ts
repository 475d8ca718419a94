const BASE_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** Returns the wait before a retry: exponential backoff with full jitter. `retries` counts the earlier ones. */
export function backoffMs(retries: number, random: () => number): number {
  return random() * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** retries);
}

/**
 * Returns how long a `Retry-After` header asks to wait, in milliseconds: a number of seconds, or an HTTP date with
 * a comma, as servers of today send it. Returns 0 for any other header. Source: RFC 9110 §10.2.3.
 */
export function retryAfterMs(header: string | null, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
