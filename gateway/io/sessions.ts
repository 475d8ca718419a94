import { jwtVerify } from 'jose';
import { isAccountId } from '../core/account.js';
import { GatewayError } from '../core/problems.js';
import type { KeySet } from './key-set.js';

/** Who uses the dashboard. */
export type Session = { readonly account: string };

/** Knows the sessions of the dashboard. */
export type Sessions = {
  /**
   * The session of a header `Authorization: Bearer <JWT>`.
   * @throws GatewayError 'session-invalid', which does not tell why; 'identity-unavailable' while nobody can know.
   */
  readonly authenticate: (authorization: string | undefined) => Promise<Session>;
};

/** Whose tokens are taken; `now` is in milliseconds since the epoch. */
export type SessionsTerms = {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => number;
};

/** Asymmetric signatures alone (RFC 7518 §3.1, RFC 8037): a public key must never do as a secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
];
const TOLERANCE_SECONDS = 30;
const MOST_CHARACTERS = 16 * 1024;
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** The sessions that an identity provider's tokens prove (RFC 7519). */
export function createSessions({ keySet, issuer, audience, now }: SessionsTerms): Sessions {
  async function subjectOf(token: string): Promise<string | undefined> {
    const { payload } = await jwtVerify(token, keySet.keyFor, {
      issuer,
      audience,
      algorithms: [...ALGORITHMS],
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    });
    return payload.sub;
  }
  return {
    async authenticate(authorization) {
      if (authorization === undefined) throw sessionInvalid('');
      if (authorization.length > MOST_CHARACTERS) throw sessionInvalid(TOKEN_INVALID);
      const [, token] = BEARER.exec(authorization) ?? [];
      if (token === undefined) throw sessionInvalid(TOKEN_INVALID);
      const account: unknown = await subjectOf(token).catch((error: unknown) => {
        // Whatever is thrown in the course of it, the token has not proved itself.
        throw error instanceof GatewayError ? error : sessionInvalid(TOKEN_INVALID, error);
      });
      if (typeof account === 'string' && isAccountId(account)) return { account };
      throw sessionInvalid(TOKEN_INVALID);
    },
  };
}

const TOKEN_INVALID = ', error="invalid_token"';

function sessionInvalid(mark: string, cause?: unknown): GatewayError {
  return new GatewayError('session-invalid', {
    headers: { 'WWW-Authenticate': `Bearer realm="dashboard"${mark}` },
    cause,
  });
}
