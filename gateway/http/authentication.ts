import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import { toAddressGroup } from '../core/http/client-address.js';
import { GatewayError, PROBLEMS } from '../core/problems.js';
import {
  toRateHeaders,
  toRateProblem,
  type RatePolicy,
  type LimitResult,
} from '../core/http/rate-headers.js';
import type { Caller } from '../io/accounts/account-cache.js';
import type { Authenticator } from '../io/identity/authenticator.js';
import type { RateLimits } from '../io/operation/rate-limits.js';
import type { Session, Sessions } from '../io/identity/sessions.js';
import type { Middleware } from './middleware.js';
import { contextOf } from './request-context.js';

/** Authenticates requests and enforces rate limits. A request that fails counts towards the limit of its address. */
export type Authentication = {
  /** Returns the caller of the API key. @throws GatewayError 'api-key-*', 'rate-limited', 'request-malformed' */
  readonly authenticateKey: (req: IncomingMessage, res: ServerResponse) => Caller | Promise<Caller>;
  /** Returns the account of a dashboard session. @throws GatewayError 'session-invalid', 'identity-unavailable', 'rate-limited' */
  readonly authenticateSession: (req: IncomingMessage, res: ServerResponse) => Promise<Session>;
  /** Middleware that rejects requests without a valid session. Handlers after it read `accountOf(res)`. */
  readonly requireSession: Middleware;
  /** Counts an anonymous request towards the limit of its address. @throws GatewayError 'rate-limited' */
  readonly limitAddress: (req: IncomingMessage, res: ServerResponse) => void;
  /** Returns the caller with current grants: at most `maxAgeMs` old, one second by default. */
  readonly refresh: (caller: Caller, maxAgeMs?: number) => Promise<Caller>;
  /** Refuses a revoked key from now on, also while its account is cached. */
  readonly refuseKey: (keyId: string) => void;
};

/** Options for `createAuthentication`. */
export type AuthenticationOptions = {
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  /** Verifies sessions; without it the gateway serves no dashboard. */
  readonly sessions: Sessions | undefined;
  /** Records each use of a key. */
  readonly onUse: (keyId: string) => void;
  readonly trustProxy: TrustProxy;
};

/** The proxies whose `X-Forwarded-For` is trusted: a number of hops, addresses, or none. */
export type TrustProxy = number | readonly string[] | false;

/** Returns the authentication of a gateway. A request with a cached key counts only towards the limits of the key and its account. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { authenticator, limits, sessions, onUse } = options;
  const address = createAddressLimit(options);

  function acceptKey(res: ServerResponse, caller: Caller): Caller {
    const context = contextOf(res);
    context.keyId = caller.keyId;
    context.account = caller.account;
    enforce(res, 'key', limits.consumeKey(caller.keyId));
    const shared = limits.consumeAccount(caller.account);
    if (!shared.allowed) enforce(res, 'account', shared);
    onUse(caller.keyId);
    return caller;
  }

  async function authenticateSession(req: IncomingMessage, res: ServerResponse): Promise<Session> {
    rejectTwoCredentials(req);
    if (isRepeated(req, 'authorization')) {
      throw new GatewayError('request-malformed', { detail: 'Send the header Authorization once.' });
    }
    if (sessions === undefined) {
      throw new GatewayError('identity-unavailable', { detail: 'No identity provider is configured.' });
    }
    const { authorization } = req.headers;
    const session = await address.countFailures(req, res, () => sessions.authenticate(authorization));
    contextOf(res).account = session.account;
    enforce(res, 'key', limits.consumeKey(`account ${session.account}`));
    return session;
  }

  return {
    authenticateKey(req, res) {
      rejectTwoCredentials(req);
      const { 'x-api-key': key } = req.headers;
      if (typeof key !== 'string' || key === '') {
        address.count(req, res);
        throw new GatewayError('api-key-missing', { headers: { 'WWW-Authenticate': 'ApiKey' } });
      }
      const cached = authenticator.peek(key);
      if (cached !== undefined) return acceptKey(res, cached);
      const authenticated = address.countFailures(req, res, () => authenticator.authenticate(key));
      return authenticated.then((caller) => acceptKey(res, caller));
    },
    authenticateSession,
    async requireSession(req, res, next) {
      await authenticateSession(req, res);
      next();
    },
    limitAddress: address.count,
    refresh: (caller, maxAgeMs) => authenticator.refresh(caller, maxAgeMs),
    refuseKey: (keyId) => authenticator.refuse(keyId),
  };
}

/** Sets the rate limit headers. @throws GatewayError 'rate-limited' */
function enforce(res: ServerResponse, policy: RatePolicy, result: LimitResult): void {
  for (const [name, value] of toRateHeaders(policy, result)) res.setHeader(name, value);
  if (!result.allowed) throw toRateProblem(policy, result);
}

type AddressLimit = {
  /** Counts the request towards the limit of its address. @throws GatewayError 'rate-limited' */
  readonly count: (req: IncomingMessage, res: ServerResponse) => void;
  /** Counts the request before `authenticate` runs, and takes that back unless it fails with a 4xx problem. */
  readonly countFailures: <T>(
    req: IncomingMessage,
    res: ServerResponse,
    authenticate: () => Promise<T>,
  ) => Promise<T>;
};

function createAddressLimit({
  limits,
  trustProxy,
}: Pick<AuthenticationOptions, 'limits' | 'trustProxy'>): AddressLimit {
  const trust = compileTrust(trustProxy);
  const addressOf = (req: IncomingMessage): string => toAddressGroup(proxyAddr(req, trust));
  return {
    count: (req, res) => enforce(res, 'address', limits.consumeAddress(addressOf(req))),
    async countFailures(req, res, authenticate) {
      const address = addressOf(req);
      enforce(res, 'address', limits.consumeAddress(address));
      try {
        const result = await authenticate();
        limits.refundAddress(address);
        return result;
      } catch (error) {
        if (!isClientError(error)) limits.refundAddress(address); // an outage is not the client's fault
        throw error;
      }
    },
  };
}

function isClientError(error: unknown): boolean {
  return error instanceof GatewayError && PROBLEMS[error.code].status < 500;
}

function rejectTwoCredentials({ headers }: IncomingMessage): void {
  if (headers['x-api-key'] !== undefined && headers.authorization !== undefined) {
    throw new GatewayError('request-malformed', {
      detail: 'Send either X-API-Key or Authorization, not both.',
    });
  }
}

/** Returns whether a header was sent more than once. For most headers, `req.headers` has only the first value. */
function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  return rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length > 1;
}

type TrustFunction = (address: string, hops: number) => boolean;

function compileTrust(trustProxy: TrustProxy): TrustFunction {
  if (typeof trustProxy === 'number') return (_address, hops) => hops < trustProxy;
  return trustProxy === false ? () => false : proxyAddr.compile([...trustProxy]);
}
