import * as oauth from 'oauth4webapi';
import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { parseReturnPath, toReturnPath, type Purpose } from './arrival.js';
import { keepPending, takePending } from './pending-sign-in.js';
import type { SignIn } from './settings.js';
import { withBothNames } from './signing-algorithms.js';

/** A signed-in person. The token is in memory only. */
export type Session = {
  readonly token: string;
  /** Name, mail address or id at the identity provider. */
  readonly who: string;
  /** Where to end the session at the provider; absent if it has no such page. */
  readonly signOutUrl: string | undefined;
};

/** The result of a callback. */
type SignInResult =
  | { readonly kind: 'signed-in'; readonly session: Session; readonly purpose: Purpose }
  /** The provider needs to ask, which it was told not to do. */
  | { readonly kind: 'must-ask'; readonly purpose: Purpose }
  | {
      readonly kind: 'refused';
      readonly reason: Refusal;
      /** The error code of the provider (RFC 6749), if it sent one. */
      readonly code?: string | undefined;
      readonly purpose: Purpose;
    }
  | { readonly kind: 'provider-down'; readonly purpose: Purpose };

/** Why a sign-in did not succeed. */
export type Refusal = 'denied' | 'not-begun-here' | 'not-valid';

/** Errors of a provider that must ask (OpenID Connect Core §3.1.2.6). */
const MUST_ASK = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required'];
const DENIED = ['access_denied'];
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
  try {
    server = await discover(signIn);
  } catch {
    return { kind: 'provider-down', purpose };
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
    return { ...explain(error, pending.isSilent), purpose };
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
  return { token, who, signOutUrl: signOutUrlOf(signIn, server) };
}

/**
 * Returns the address that ends the session at the provider (RP-Initiated Logout 1.0). The ID token is not part of it.
 * Amazon Cognito calls the address to return to `logout_uri`; other providers ignore that parameter.
 */
function signOutUrlOf(
  { client_id: client }: SignIn,
  { end_session_endpoint: endpoint }: oauth.AuthorizationServer,
): string | undefined {
  if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  url.searchParams.set('client_id', client);
  for (const name of ['post_logout_redirect_uri', 'logout_uri']) url.searchParams.set(name, redirectUri());
  return url.href;
}

function explain(
  error: unknown,
  isSilent: boolean,
):
  | { readonly kind: 'must-ask' }
  | { readonly kind: 'provider-down' }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly code?: string | undefined } {
  if (error instanceof oauth.AuthorizationResponseError) {
    if (isSilent && MUST_ASK.includes(error.error)) return { kind: 'must-ask' };
    return DENIED.includes(error.error)
      ? { kind: 'refused', reason: 'denied' }
      : { kind: 'refused', reason: 'not-valid', code: codeOf(error) };
  }
  const isUnreachable =
    error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
  return isUnreachable
    ? { kind: 'provider-down' }
    : { kind: 'refused', reason: 'not-valid', code: codeOf(error) };
}

/** Returns the error code that a provider sent, such as `invalid_scope`. Anybody can write one into an address: only a code is shown. */
function codeOf(error: unknown): string | undefined {
  const isSent =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  return isSent && /^[a-z_]{1,40}$/.test(error.error) ? error.error : undefined;
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
