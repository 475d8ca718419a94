const BEARER = /^Bearer +(\S+)$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns the token of a header `Authorization: Bearer <token>`; `undefined` for anything else. */
export function bearerTokenOf(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Returns whether a bearer token has the form of a JWT, as that of every session has. API keys have not. */
export function isJwt(token: string): boolean {
  return JWT.test(token);
}

/**
 * Why a session token was refused, by code. The caller and the operator's log get the code: it says nothing about other
 * tokens, and no code has a part that a client chose. The list in PROVIDERS.md is generated from this table.
 */
export const SESSION_REFUSALS = {
  'no-jwt': 'The token is not a JWT. The access tokens of some providers are opaque.',
  'too-long': 'The token is longer than 16 KiB.',
  algorithm: 'The token is signed with an algorithm that is not accepted.',
  key: 'No key in CRD_JWKS is the one that signed the token.',
  signature: 'The signature is wrong.',
  issuer: 'The issuer (iss) is not CRD_JWT_ISSUER.',
  audience: 'The audience (aud) does not contain CRD_JWT_AUDIENCE.',
  type: 'The type (typ) is not CRD_JWT_TYPE or, if that is not set, neither JWT nor absent.',
  expired: 'The token has expired.',
  'not-yet-valid': 'The token is not valid yet: compare the clocks of the provider and of the gateway.',
  claims: 'A claim is missing or has a wrong form: tokens need iss, aud, sub and exp.',
  events: 'The token reports events, as logout tokens do.',
  subject: 'The subject (sub) is no account id: at most 255 bytes of printable characters.',
  invalid: 'The token is damaged, or has an extension that must be understood.',
} as const;

export type SessionRefusal = keyof typeof SESSION_REFUSALS;
