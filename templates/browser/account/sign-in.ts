import * as oauth from 'oauth4webapi';
import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { element } from './dom.js';
import { parseReturnPath, toReturnPath, type Purpose } from './arrival.js';
import { keepPending, takePending } from './pending-sign-in.js';
import type { SignIn } from './settings.js';
import { withBothNames } from './signing-algorithms.js';

/** A signed-in person. The token is in memory only. */
export type Session = {
  readonly token: string;
  /** Name, mail address or id at the identity provider. */
  readonly who: string;
  /** How to end the session at the provider; absent if it has no such page. */
  readonly signOut: SignOut | undefined;
};

/** A request that ends the session at the provider. */
type SignOut = {
  readonly method: 'post' | 'get';
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** The result of a callback. */
type SignInResult =
  | { readonly kind: 'signed-in'; readonly session: Session; readonly purpose: Purpose }
  /** The provider did not sign in without asking, for whatever reason. */
  | { readonly kind: 'must-ask'; readonly purpose: Purpose }
  | ({ readonly kind: 'refused'; readonly purpose: Purpose } & Refused)
  | { readonly kind: 'provider-down'; readonly code: string; readonly purpose: Purpose };

/** Why a sign-in did not succeed. */
export type Refusal = 'denied' | 'not-begun-here' | 'refused-there' | 'not-valid';

/** A refusal with the error code of the provider (RFC 6749) or, if it sent none, of this page. */
type Refused = { readonly reason: Refusal; readonly code?: string };

const LIMIT_MS = 10_000;

/**
 * Leads the browser to the identity provider, which returns it to this page. Without `asks`, the provider answers at once,
 * from its own session. @throws Error if the provider cannot be reached
 */
export async function beginSignIn(
  signIn: SignIn,
  purpose: Purpose,
  { asks }: { readonly asks: boolean },
): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(signIn);
  if (endpoint === undefined) throw new Error('the identity provider has no authorization endpoint');
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(endpoint);
  const parameters = {
    client_id: signIn.client_id,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: signIn.scopes,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...resourceOf(signIn),
    ...(asks ? {} : { prompt: 'none' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  keepPending({ state, nonce, verifier, returnPath: toReturnPath(purpose), isSilent: !asks });
  location.assign(url.href);
}

/** Exchanges the response of the identity provider for a session. A response counts only once, and only in the tab that began. */
export async function finishSignIn(signIn: SignIn, parameters: URLSearchParams): Promise<SignInResult> {
  const pending = takePending();
  const purpose = parseReturnPath(pending?.returnPath);
  if (pending === undefined) return { kind: 'refused', reason: 'not-begun-here', purpose };
  const client = { client_id: signIn.client_id };
  let server: oauth.AuthorizationServer;
  const failed = (error: unknown, address: 'discovery' | 'token'): SignInResult => {
    console.warn('sign-in:', codeOf(error) ?? `${address}_unreadable`); // never words, which may contain a token
    if (pending.isSilent) return { kind: 'must-ask', purpose };
    if (isUnreachable(error)) return { kind: 'provider-down', code: `${address}_unreadable`, purpose };
    return { kind: 'refused', ...explain(error), purpose };
  };
  try {
    server = await discover(signIn);
  } catch (error) {
    return failed(error, 'discovery');
  }
  try {
    const response = oauth.validateAuthResponse(server, client, parameters, pending.state);
    const granted = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), response, redirectUri(), pending.verifier] as const),
      { ...requestOptions(signIn), additionalParameters: resourceOf(signIn) },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, granted, {
      expectedNonce: pending.nonce,
      requireIdToken: true,
    });
    return { kind: 'signed-in', session: toSession(signIn, server, tokens), purpose };
  } catch (error) {
    return failed(error, 'token');
  }
}

function toSession(
  signIn: SignIn,
  server: oauth.AuthorizationServer,
  tokens: oauth.TokenEndpointResponse,
): Session {
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  const token = signIn.token === 'id' ? tokens.id_token : tokens.access_token;
  if (claims === undefined || token === undefined) throw new Error('the identity provider sent no token');
  const names = [claims['name'], claims['email'], claims['preferred_username'], claims.sub];
  const who = names.find((each): each is string => typeof each === 'string' && each !== '') ?? claims.sub;
  return { token, who, signOut: signOutOf(signIn, server, tokens.id_token) };
}

/**
 * Returns how to end the session at the provider (RP-Initiated Logout 1.0). Some providers end nothing without the ID token,
 * which is only ever in a form, because a token must not appear in an address. Amazon Cognito, which needs `get`, calls the
 * address to return to `logout_uri`.
 */
function signOutOf(
  { client_id: client, sign_out: method }: SignIn,
  { end_session_endpoint: url }: oauth.AuthorizationServer,
  token = '',
): SignOut | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const fields = { client_id: client, post_logout_redirect_uri: redirectUri() };
  const others = method === 'post' ? { id_token_hint: token } : { logout_uri: redirectUri() };
  return { method, url, fields: { ...fields, ...others } };
}

/** Leaves for the provider, which ends its session and returns the browser to this page. */
export function signOutAt({ method, url, fields }: SignOut): void {
  if (method === 'get') {
    const address = new URL(url);
    for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value);
    location.assign(address.href);
    return;
  }
  const form = element('form', { method, action: url });
  for (const [name, value] of Object.entries(fields))
    form.append(element('input', { type: 'hidden', name, value }));
  document.body.append(form);
  form.submit();
  form.remove(); // the token must not stay in the page if the browser blocks the form
}

function explain(error: unknown): Refused {
  const code = codeOf(error) ?? 'unknown';
  if (code === 'access_denied') return { reason: 'denied', code };
  return { reason: isSent(error) ? 'refused-there' : 'not-valid', code };
}

/** Returns true for an error that was sent by the provider. */
function isSent(error: unknown): error is oauth.AuthorizationResponseError | oauth.ResponseBodyError {
  return error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
}

/** Returns true if a request had no answer that the page may read: the provider does not answer, or does not allow this origin. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

/**
 * Returns the error code that a provider sent, such as `invalid_scope`, or the code of a check of this page, such as
 * `jwt_timestamp_check_failed`. Anybody can write one into an address: only a code is shown, never a description.
 */
function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  const own = typeof code === 'string' ? code.toLowerCase() : '';
  const text = isSent(error) ? error.error : own;
  return /^[a-z_]{1,60}$/.test(text) ? text.replace(/^oauth_/, '') : undefined;
}

async function discover(signIn: SignIn): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(signIn.issuer);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...requestOptions(signIn) });
  const server = await oauth.processDiscoveryResponse(issuer, response);
  const algorithms = server.id_token_signing_alg_values_supported;
  return Array.isArray(algorithms)
    ? { ...server, id_token_signing_alg_values_supported: withBothNames(algorithms) }
    : server;
}

/** Plain HTTP only for an issuer on loopback: the gateway's configuration allows no other. */
function requestOptions({ issuer }: SignIn) {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out, not because it will go
  return { [oauth.allowInsecureRequests]: issuer.startsWith('http:'), signal: AbortSignal.timeout(LIMIT_MS) };
}

function resourceOf({ resource }: SignIn): Record<string, string> {
  return resource === null ? {} : { resource };
}

/** The one address to which the provider may return. */
function redirectUri(): string {
  return `${location.origin}${ACCOUNT_PATHS.page}`;
}
