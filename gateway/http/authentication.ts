import type { IncomingMessage, ServerResponse } from 'node:http';
import { KEY_CHALLENGE, KEY_PREFIX } from '../core/access/api-key.js';
import { bearerTokenOf, isJwt } from '../core/access/session-token.js';
import { GatewayError } from '../core/problems.js';
import type { Caller } from '../io/accounts/account-cache.js';
import type { Authenticator } from '../io/identity/authenticator.js';
import type { Session, Sessions } from '../io/identity/sessions.js';
import { createLanes } from '../io/timing/lanes.js';
import { createAddressLimit, enforce, type AddressLimit, type AddressLimitOptions } from './address-limit.js';
import { isRepeated } from './header-lines.js';
import type { Middleware } from './middleware.js';
import { contextOf } from './request-context.js';

/** Authenticates requests and enforces rate limits. A credential that fails counts towards a limit of its address. */
export type Authentication = {
  /** Returns the caller of the API key. @throws GatewayError 'api-key-*', 'rate-limited', 'request-malformed' */
  readonly authenticateKey: (req: IncomingMessage, res: ServerResponse) => Caller | Promise<Caller>;
  /** Returns the account of a dashboard session. @throws GatewayError 'session-invalid', 'identity-unavailable', 'rate-limited' */
  readonly authenticateSession: (req: IncomingMessage, res: ServerResponse) => Promise<Session>;
  /** Counts a request for a file towards the limit of an account, which its keys and sessions share. @throws GatewayError 'rate-limited' */
  readonly limitAccount: (res: ServerResponse, account: string) => void;
  /** Middleware that rejects requests without a valid session. Handlers after it read `accountOf(res)`. */
  readonly requireSession: Middleware;
  /** Counts a request towards a limit of its address. @throws GatewayError 'rate-limited' */
  readonly limitAddress: AddressLimit['count'];
  /** Counts a credential of any kind towards the limit of its address if it fails. */
  readonly limitFailures: AddressLimit['countFailure'];
  /** Returns the caller with current grants: at most `maxAgeMs` old, one second by default. */
  readonly refresh: (caller: Caller, maxAgeMs?: number) => Promise<Caller>;
  /** Refuses a revoked key from now on, also while its account is cached. */
  readonly refuseKey: (keyId: string) => void;
};

/** Options for `createAuthentication`. */
type AuthenticationOptions = AddressLimitOptions & {
  readonly authenticator: Authenticator;
  /** Verifies sessions; without it the gateway serves no dashboard. */
  readonly sessions: Sessions | undefined;
  /** Records each use of a key. */
  readonly onUse: (keyId: string) => void;
};

/**
 * Returns the authentication of a gateway. A valid key or session counts only towards its own limit and that
 * of its account: other callers at the same address cannot use these up. Beyond the limit of failed
 * credentials, unknown keys of an address are looked up one at a time, so that guessing cannot occupy the
 * accounts store.
 */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { authenticator, limits, sessions, onUse } = options;
  const address = createAddressLimit(options);
  const lanes = createLanes();

  function limitAccount(res: ServerResponse, account: string): void {
    const shared = limits.consumeAccount(account);
    if (!shared.allowed) enforce(res, 'account', shared);
  }

  function acceptKey(res: ServerResponse, caller: Caller): Caller {
    const context = contextOf(res);
    context.keyId = caller.keyId;
    context.account = caller.account;
    enforce(res, 'key', limits.consumeKey(caller.keyId));
    limitAccount(res, caller.account);
    onUse(caller.keyId);
    return caller;
  }

  async function authenticateSession(req: IncomingMessage, res: ServerResponse): Promise<Session> {
    readCredential(req);
    if (sessions === undefined) {
      throw new GatewayError('identity-unavailable', { detail: 'No identity provider is configured.' });
    }
    const { authorization } = req.headers;
    const session = await address.countFailure(req, res, () => sessions.authenticate(authorization));
    contextOf(res).account = session.account;
    enforce(res, 'key', limits.consumeKey(`account ${session.account}`)); // no key id has a blank
    return session;
  }

  return {
    authenticateKey(req, res) {
      const { key, session, other } = readCredential(req);
      if (key === undefined) {
        address.count(req, res);
        throw new GatewayError('api-key-missing', {
          ...(session || other
            ? { detail: `Authorization has no API key. Send it as "Authorization: Bearer ${KEY_PREFIX}…".` }
            : {}),
          headers: { 'WWW-Authenticate': KEY_CHALLENGE },
        });
      }
      const cached = authenticator.peek(key);
      if (cached !== undefined) return acceptKey(res, cached);
      const authenticate = (): Promise<Caller> => authenticator.authenticate(key);
      const authenticated = address.countFailure(req, res, ({ group, isSpent }) =>
        isSpent && !authenticator.isKnown(key) ? lanes.run(group, authenticate) : authenticate(),
      );
      return authenticated.then((caller) => acceptKey(res, caller));
    },
    authenticateSession,
    limitAccount,
    async requireSession(req, res, next) {
      await authenticateSession(req, res);
      next();
    },
    limitAddress: address.count,
    limitFailures: address.countFailure,
    refresh: (caller, maxAgeMs) => authenticator.refresh(caller, maxAgeMs),
    refuseKey: (keyId) => authenticator.refuse(keyId),
  };
}

/**
 * The credential of a request: an API key or a session. It has neither if there is no header, or `Authorization` has something
 * else, which `other` says.
 */
type Credential = {
  readonly key?: string;
  readonly session?: true;
  readonly other?: true;
};

/**
 * Returns the credential of a request. An API key is in `X-API-Key`, in `Authorization: Bearer`, or the same in both; a session
 * is a bearer token in the form of a JWT.
 * @throws GatewayError 'request-malformed' for two credentials
 */
export function readCredential(req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Credential {
  const { authorization, 'x-api-key': sent } = req.headers;
  const key = typeof sent === 'string' && sent !== '' ? sent : undefined;
  if (authorization === undefined) return key === undefined ? {} : { key };
  if (isRepeated(req, 'authorization')) {
    throw new GatewayError('request-malformed', { detail: 'Send the header Authorization once.' });
  }
  const token = bearerTokenOf(authorization) ?? '';
  const isKey = token.startsWith(KEY_PREFIX);
  if (key !== undefined && !(isKey && key === token)) {
    throw new GatewayError('request-malformed', {
      detail: 'Send one credential: X-API-Key and Authorization are not the same API key.',
    });
  }
  if (isKey) return { key: token };
  return isJwt(token) ? { session: true } : { other: true };
}
