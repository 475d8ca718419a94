import { GatewayError } from './problems.js';

/** What is limited: the calls with one key or session, or those of an address without one. */
export type RatePolicy = 'key' | 'address';

/** What became of one more request in a window of a minute. */
export type Taken = {
  readonly allowed: boolean;
  /** Requests that a window has. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds, from 1 on, until the next window. */
  readonly resetSeconds: number;
};

/**
 * The headers `RateLimit` and `RateLimit-Policy`, each name before its value.
 * Source: draft-ietf-httpapi-ratelimit-headers-10.
 */
export function toRateHeaders(policy: RatePolicy, taken: Taken): [string, string, string, string] {
  const state = `"${policy}";r=${taken.remaining};t=${taken.resetSeconds}`;
  return ['RateLimit', state, 'RateLimit-Policy', `"${policy}";q=${taken.limit};w=60`];
}

/** The problem of a request that was one too many. */
export function toRateProblem(policy: RatePolicy, { limit, resetSeconds }: Taken): GatewayError {
  const whose = policy === 'key' ? 'this key or session' : 'calls of this address without a valid key';
  return new GatewayError('rate-limited', {
    detail: `${whose} may make ${limit} requests a minute; wait ${resetSeconds} s`,
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
