import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import {
  toRateHeaders,
  toRateProblem,
  type AddressPolicy,
  type LimitResult,
  type RatePolicy,
} from '../core/http/rate-headers.js';
import { GatewayError, PROBLEMS } from '../core/problems.js';
import type { RateLimits } from '../io/operation/rate-limits.js';
import ipaddr from 'ipaddr.js';
import { compileTrust, type TrustProxy } from './trusted-proxies.js';

/** Options for `createAddressLimit`. */
export type AddressLimitOptions = {
  readonly limits: RateLimits;
  readonly trustProxy: TrustProxy;
  /** Called once, when `X-Forwarded-For` arrives although no proxy is trusted. */
  readonly onUntrustedProxy: () => void;
};

/** The limit of failed credentials of the caller's address, while a credential is verified. */
type Attempt = {
  /** Group of the caller's address. */
  readonly group: string;
  /** True if the address has reached its limit. */
  readonly isSpent: boolean;
};

/** Limits that count by the address of the caller. */
export type AddressLimit = {
  /** Counts a request, by default as one without a credential. @throws GatewayError 'rate-limited' */
  readonly count: (req: IncomingMessage, res: ServerResponse, policy?: AddressPolicy) => void;
  /**
   * Verifies a credential and counts it if it is refused. A valid credential is accepted whatever the address did before.
   * @throws the error of `verify`, or GatewayError 'rate-limited' instead of a refusal beyond the limit
   */
  readonly countFailure: <T>(
    req: IncomingMessage,
    res: ServerResponse,
    verify: (attempt: Attempt) => Promise<T>,
  ) => Promise<T>;
};

/** Creates the limits of addresses. */
export function createAddressLimit(options: AddressLimitOptions): AddressLimit {
  const { limits } = options;
  const groupOf = createGrouping(options);
  return {
    count(req, res, policy = 'address') {
      enforce(res, policy, limits.consumeAddress(groupOf(req), policy));
    },
    async countFailure(req, res, verify) {
      const group = groupOf(req);
      // Counted before it is verified, so that requests in progress count too.
      const result = limits.consumeAddress(group, 'credentials');
      const refund = (): void => {
        if (result.allowed) limits.refundAddress(group, 'credentials');
      };
      try {
        const verified = await verify({ group, isSpent: !result.allowed });
        refund();
        return verified;
      } catch (error) {
        if (isRefusal(error)) enforce(res, 'credentials', result);
        else refund(); // an outage, or something else than the credential
        throw error;
      }
    },
  };
}

/** Sets the rate limit headers. @throws GatewayError 'rate-limited' */
export function enforce(res: ServerResponse, policy: RatePolicy, result: LimitResult): void {
  for (const [name, value] of toRateHeaders(policy, result)) res.setHeader(name, value);
  if (!result.allowed) throw toRateProblem(policy, result);
}

/** Removes the rate limit headers from a response that a cache may send to other callers. */
export function omitRateHeaders(res: ServerResponse): void {
  res.removeHeader('RateLimit');
  res.removeHeader('RateLimit-Policy');
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof GatewayError && PROBLEMS[error.code].status < 500 && error.code !== 'request-malformed'
  );
}

/** Returns the function that finds the group of the caller's address. */
function createGrouping({
  trustProxy,
  onUntrustedProxy,
}: AddressLimitOptions): (req: IncomingMessage) => string {
  const trust = compileTrust(trustProxy);
  let isWatching = trustProxy === false || trustProxy === 0;
  return (req) => {
    if (isWatching && req.headers['x-forwarded-for'] !== undefined) {
      isWatching = false;
      onUntrustedProxy();
    }
    return toAddressGroup(proxyAddr(req, trust));
  };
}

/** Group of all addresses that cannot be parsed. */
const UNKNOWN = 'unknown';

/** An IPv4 address, or an IPv6 address in brackets, followed by a port. Some proxies append the port. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\]):\d+$/;

/**
 * Returns the rate-limit group of an address, ignoring the port: an IPv4 address, or the /64 of an IPv6 address, the
 * smallest block that providers assign to a customer. An IPv4 address mapped to IPv6 counts as IPv4.
 */
export function toAddressGroup(address: string): string {
  const [, v4, v6] = WITH_PORT.exec(address) ?? [];
  const withoutPort = v4 ?? v6 ?? address;
  if (!ipaddr.isValid(withoutPort)) return UNKNOWN;
  const parsed = ipaddr.process(withoutPort);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
