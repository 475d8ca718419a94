import { GatewayError } from '../problems.js';

/** The subject of a limit: a key or session, or an address whose requests have no valid key. */
export type RatePolicy = 'key' | 'address';

/** Result of counting one request in a window of one minute. */
export type LimitResult = {
  readonly allowed: boolean;
  /** Requests that a window allows. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next window, at least 1. */
  readonly resetSeconds: number;
};

/** Returns the headers that describe a limit. Source: draft-ietf-httpapi-ratelimit-headers-10. */
export function toRateHeaders(
  policy: RatePolicy,
  result: LimitResult,
): readonly (readonly [string, string])[] {
  return [
    ['RateLimit', `"${policy}";r=${result.remaining};t=${result.resetSeconds}`],
    ['RateLimit-Policy', `"${policy}";q=${result.limit};w=60`],
  ];
}

/** Returns the problem of a request beyond the limit. */
export function toRateProblem(policy: RatePolicy, { limit, resetSeconds }: LimitResult): GatewayError {
  const subject = policy === 'key' ? 'each key or session' : 'each address without a valid key';
  return new GatewayError('rate-limited', {
    detail: `The limit is ${limit} requests per minute for ${subject}. Wait ${resetSeconds} s.`,
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
