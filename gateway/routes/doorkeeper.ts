import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import { toAddressGroup } from '../core/client-address.js';
import { GatewayError, PROBLEMS } from '../core/problems.js';
import { toRateHeaders, toRateProblem, type RatePolicy, type Taken } from '../core/rate-headers.js';
import type { Caller } from '../io/account-cache.js';
import type { Authenticator } from '../io/authenticator.js';
import type { RateLimits } from '../io/rate-limits.js';
import type { Session, Sessions } from '../io/sessions.js';
import { exchangeOf } from './exchange.js';

/** Names callers and holds them to their limits. Whoever is not known yet counts at the address, and so do failures. */
export type Doorkeeper = {
  /** The caller of a request with an API key. @throws GatewayError 'api-key-*', 'rate-limited', 'request-malformed' */
  readonly admitKey: (req: IncomingMessage, res: ServerResponse) => Caller | Promise<Caller>;
  /** The account of a dashboard session. @throws GatewayError 'session-invalid', 'identity-unavailable', 'rate-limited' */
  readonly admitSession: (req: IncomingMessage, res: ServerResponse) => Promise<Session>;
  /** A caller without a name. @throws GatewayError 'rate-limited' */
  readonly admitAddress: (req: IncomingMessage, res: ServerResponse) => void;
  /** The caller with what the account may read by now, or at most `maxAgeMs` ago. */
  readonly refresh: (caller: Caller, maxAgeMs?: number) => Promise<Caller>;
};

/** What a doorkeeper needs; without `sessions` no dashboard is served. `onUse` is told of each use of a key. */
export type DoorkeeperTerms = {
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly sessions: Sessions | undefined;
  readonly onUse: (keyId: string) => void;
  readonly trustProxy: TrustProxy;
};

/** Which proxies are believed: a number of hops, addresses, or none. */
export type TrustProxy = number | readonly string[] | false;

/** A doorkeeper: first the address, for callers not known yet, then the name, then the name's own limit. */
export function createDoorkeeper(terms: DoorkeeperTerms): Doorkeeper {
  const { authenticator, limits, sessions, onUse } = terms;
  const trust = compileTrust(terms.trustProxy);
  const addressOf = (req: IncomingMessage): string => toAddressGroup(proxyAddr(req, trust));

  function hold(res: ServerResponse, policy: RatePolicy, taken: Taken): void {
    exchangeOf(res).rateHeaders = toRateHeaders(policy, taken);
    if (!taken.allowed) throw toRateProblem(policy, taken);
  }

  function admit(res: ServerResponse, caller: Caller): Caller {
    exchangeOf(res).keyId = caller.keyId;
    hold(res, 'key', limits.takeKey(caller.keyId));
    onUse(caller.keyId);
    return caller;
  }

  /** Takes a point of the address, and gives it back unless the work says that the caller is none. */
  async function onTrust<T>(req: IncomingMessage, res: ServerResponse, work: () => Promise<T>): Promise<T> {
    const address = addressOf(req);
    hold(res, 'address', limits.takeAddress(address));
    try {
      const result = await work();
      limits.giveBackAddress(address);
      return result;
    } catch (error) {
      if (!isRefusal(error)) limits.giveBackAddress(address); // that we cannot know is not the caller's fault
      throw error;
    }
  }

  return {
    admitKey(req, res) {
      const { 'x-api-key': key, authorization } = req.headers;
      if (key !== undefined && authorization !== undefined) throw twoCredentials();
      if (typeof key !== 'string' || key === '') {
        hold(res, 'address', limits.takeAddress(addressOf(req)));
        throw new GatewayError('api-key-missing', { headers: { 'WWW-Authenticate': 'ApiKey' } });
      }
      const known = authenticator.peek(key);
      if (known !== undefined) return admit(res, known);
      return onTrust(req, res, () => authenticator.authenticate(key)).then((caller) => admit(res, caller));
    },
    async admitSession(req, res) {
      const { 'x-api-key': key, authorization } = req.headers;
      if (key !== undefined && authorization !== undefined) throw twoCredentials();
      if (isRepeated(req, 'authorization')) {
        throw new GatewayError('request-malformed', { detail: 'send Authorization once' });
      }
      if (sessions === undefined) {
        throw new GatewayError('identity-unavailable', { detail: 'no identity provider is configured' });
      }
      const session = await onTrust(req, res, () => sessions.authenticate(authorization));
      hold(res, 'key', limits.takeKey(`account ${session.account}`));
      return session;
    },
    admitAddress: (req, res) => hold(res, 'address', limits.takeAddress(addressOf(req))),
    refresh: (caller, maxAgeMs) => authenticator.refresh(caller, maxAgeMs),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && PROBLEMS[error.code].status < 500;
}

/** Whether a header was sent more than once. Of most, Node keeps the first without a word. */
function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  return rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length > 1;
}

/** Whose word on the caller's address is taken, as the library asks for it. */
function compileTrust(trustProxy: TrustProxy): TrustFunction {
  if (typeof trustProxy === 'number') return (_address, hops) => hops < trustProxy;
  return trustProxy === false ? () => false : proxyAddr.compile([...trustProxy]);
}

type TrustFunction = (address: string, hops: number) => boolean;

function twoCredentials(): GatewayError {
  return new GatewayError('request-malformed', {
    detail: 'send either X-API-Key or Authorization, not both',
  });
}
