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
