import { GatewayError } from '../problems.js';

/** The subject of a limit: a key or session, all keys of an account, or an address whose requests have no valid key. */
export type RatePolicy = 'key' | 'account' | 'address';

const SUBJECTS: Readonly<Record<RatePolicy, string>> = {
  key: 'each key or session',
  account: 'all keys of an account together',
  address: 'each address without a valid key',
};

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
  const name = policy === 'account' ? 'key' : policy; // the contract has only these two names
  return [
    ['RateLimit', `"${name}";r=${result.remaining};t=${result.resetSeconds}`],
    ['RateLimit-Policy', `"${name}";q=${result.limit};w=60`],
  ];
}

/** Returns the problem of a request beyond the limit. */
export function toRateProblem(policy: RatePolicy, { limit, resetSeconds }: LimitResult): GatewayError {
  return new GatewayError('rate-limited', {
    detail: `The limit is ${limit} requests per minute for ${SUBJECTS[policy]}. Wait ${resetSeconds} s.`,
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
