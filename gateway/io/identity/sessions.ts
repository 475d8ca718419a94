import { errors, jwtVerify } from 'jose';
import { KEY_PREFIX } from '../../core/access/api-key.js';
import { bearerTokenOf, isJwt } from '../../core/access/session-token.js';
import { isAccountId } from '../../core/accounts/account.js';
import { SESSION_ALGORITHMS } from '../../core/configuration/session-algorithms.js';
import { GatewayError, SESSION_REFUSALS, type SessionRefusal } from '../../core/problems.js';
import type { KeySet } from './key-set.js';

/** An authenticated user of the dashboard. */
export type Session = { readonly account: string };

/** Verifies the sessions of the dashboard. */
export type Sessions = {
  /**
   * Returns the session of a header `Authorization: Bearer <JWT>`.
   * @throws GatewayError 'session-invalid', with the refusal of a token if there is one; 'identity-unavailable' while no token can be
   * verified.
   */
  readonly authenticate: (authorization: string | undefined) => Promise<Session>;
};

/** Options for `createSessions`. */
export type SessionsOptions = {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly audience: string;
  /** Type that tokens must have. Without it, a token must have the type JWT or none. */
  readonly type?: string;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives why a token was refused: the code, which the client gets too, and words, which it does not. */
  readonly onRefused: (refusal: { readonly code: SessionRefusal; readonly reason: string }) => void;
};

const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_CHARACTERS = 16 * 1024;
/** The type of a plain JWT (RFC 7519 §5.1). Any other type marks a token for another purpose, such as `logout+jwt`. */
const PLAIN_TYPE = /^(application\/)?jwt$/i;
/**
 * Claim of tokens that report events (RFC 8417 §2.2). A logout token must have it (OpenID Connect Back-Channel Logout 1.0
 * §2.4), and its type may be that of a plain JWT. No session has it.
 */
const EVENTS = 'events';

/** Creates a verifier of the tokens of an identity provider (RFC 7519). */
export function createSessions(options: SessionsOptions): Sessions {
  const { keySet, issuer, audience, type, now } = options;

  async function subjectOf(token: string): Promise<string | undefined> {
    const { payload, protectedHeader } = await jwtVerify(token, keySet.keyFor, {
      issuer,
      audience,
      ...(type === undefined ? {} : { typ: type }),
      algorithms: [...SESSION_ALGORITHMS],
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    });
    if (type === undefined && !isPlain(protectedHeader)) throw refuse('type', 'the token is not a plain JWT');
    if (EVENTS in payload) throw refuse('events', 'the token reports events');
    return payload.sub;
  }
  function refuse(code: SessionRefusal, reason: string, cause?: unknown): GatewayError {
    if (code !== 'api-key') options.onRefused({ code, reason }); // which no provider sends
    const detail = `The session token was refused (${code}). ${SESSION_REFUSALS[code].advice}`;
    return sessionInvalid(INVALID_TOKEN, { detail, refusal: code, cause });
  }
  return {
    async authenticate(authorization) {
      if (authorization === undefined) throw sessionInvalid(''); // without an error code (RFC 6750 §3.1)
      if (authorization.length > MAX_CHARACTERS) throw refuse('too-long', 'the token is too long');
      const token = bearerTokenOf(authorization) ?? '';
      if (token.startsWith(KEY_PREFIX)) throw refuse('api-key', 'the token is an API key');
      if (!isJwt(token)) throw refuse('no-jwt', 'the header has no JWT');
      const account: unknown = await subjectOf(token).catch((error: unknown) => {
        // Any other error means that the token could not be verified.
        throw error instanceof GatewayError ? error : refuse(codeOf(error), reasonOf(error), error);
      });
      if (typeof account === 'string' && isAccountId(account)) return { account };
      throw refuse('subject', 'the subject of the token is not a valid account id');
    },
  };
}

function isPlain({ typ }: { readonly typ?: unknown }): boolean {
  return typ === undefined || (typeof typ === 'string' && PLAIN_TYPE.test(typ));
}

const OF_ERROR: Readonly<Record<string, SessionRefusal>> = {
  [errors.JWTExpired.code]: 'expired',
  [errors.JOSEAlgNotAllowed.code]: 'algorithm',
  [errors.JWKSNoMatchingKey.code]: 'key',
  [errors.JWKSMultipleMatchingKeys.code]: 'key',
  [errors.JWSSignatureVerificationFailed.code]: 'signature',
};
const OF_CLAIM: Readonly<Record<string, SessionRefusal>> = {
  iss: 'issuer',
  aud: 'audience',
  typ: 'type',
  nbf: 'not-yet-valid',
};

/** Returns the code of a refusal by jose. */
function codeOf(error: unknown): SessionRefusal {
  if (!(error instanceof errors.JOSEError)) return 'invalid';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return OF_ERROR[error.code] ?? 'invalid';
  const isMissing = error.reason === 'missing' && error.claim !== 'typ';
  return (isMissing ? undefined : OF_CLAIM[error.claim]) ?? 'claims';
}

/** Returns why a token was refused, without names that its sender chose. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Extension Header Parameter ".*" /s, 'an extension of the token ');
}

const INVALID_TOKEN = ', error="invalid_token"';

function sessionInvalid(
  challenge: string,
  details: { readonly detail?: string; readonly refusal?: SessionRefusal; readonly cause?: unknown } = {},
): GatewayError {
  const headers = { 'WWW-Authenticate': `Bearer realm="dashboard"${challenge}` };
  return new GatewayError('session-invalid', { headers, ...details });
}
