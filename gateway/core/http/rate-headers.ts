import { GatewayError } from '../problems.js';

/**
 * The limits of an address: requests without a credential (`address`), failed credentials, and links. They are counted
 * apart, so that one kind of request uses up only its own limit.
 */
export type AddressPolicy = 'address' | 'credentials' | 'links';
/** The limit of a key or session, of all keys of an account, or one of an address. */
export type RatePolicy = 'key' | 'account' | AddressPolicy;

const SUBJECTS: { readonly [policy in RatePolicy]: string } = {
  key: 'each key or session',
  account: 'all keys of an account and its downloads on the account page together',
  address: 'each address without a valid key',
  credentials: 'failed credentials of each address',
  links: 'links that each address follows',
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
  const name = policy === 'account' ? 'key' : policy; // the contract has no name for an account's limit
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
