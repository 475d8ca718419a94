import { SESSION_ALGORITHMS } from './session-algorithms.js';
import type { SignInSettings } from './session-settings.js';

/** The identity provider's discovery document (OpenID Connect Discovery 1.0 §3), as far as it is an object. */
type Discovery = Readonly<Record<string, unknown>>;

type Expected = Pick<SignInSettings, 'issuer' | 'origins' | 'scopes'>;

/** Returns the faults in a discovery document that keep the account page from signing in. */
export function findDiscoveryFaults(document: unknown, { issuer, origins }: Expected): string[] {
  const members = toDiscovery(document);
  if (members === undefined) return ['its discovery document is not a JSON object'];
  const faults: string[] = [];
  const own = members['issuer'];
  if (typeof own !== 'string')
    faults.push('it has no issuer, so it is not the document of an OpenID provider');
  else if (own !== issuer)
    faults.push(`its issuer is ${JSON.stringify(own)}; set CRD_JWT_ISSUER to exactly that`);
  for (const name of ['authorization_endpoint', 'token_endpoint']) {
    if (originOf(members[name]) === undefined) faults.push(`it has no ${name}`);
  }
  const tokens = originOf(members['token_endpoint']);
  if (tokens !== undefined && !origins.includes(tokens)) {
    faults.push(`its token endpoint is at ${tokens}; add that to CRD_OIDC_ORIGINS`);
  }
  if (!offers(members['code_challenge_methods_supported'], 'S256')) {
    faults.push('it does not support PKCE with S256');
  }
  if (!SESSION_ALGORITHMS.some((name) => offers(members['id_token_signing_alg_values_supported'], name))) {
    faults.push(`it signs ID tokens with none of ${SESSION_ALGORITHMS.join(', ')}`);
  }
  return faults;
}

/** Returns what in a discovery document may keep the account page from working, and may not. */
export function findDiscoveryAdvice(document: unknown, { origins, scopes }: Expected): string[] {
  const members = toDiscovery(document) ?? {};
  const advice: string[] = [];
  // A provider need not list every scope (OpenID Connect Discovery 1.0 §3), and Hydra 2.3 does not.
  const unlisted = scopes.split(' ').filter((scope) => !offers(members['scopes_supported'], scope));
  if (unlisted.length > 0) {
    advice.push(
      `it does not list these scopes of CRD_OIDC_SCOPES: ${unlisted.join(', ')}; if the page says invalid_scope, remove them`,
    );
  }
  const signOut = originOf(members['end_session_endpoint']);
  if (signOut === undefined) {
    advice.push('it has no end_session_endpoint: who signs out on the page stays signed in at the provider');
  } else if (!origins.includes(signOut)) {
    advice.push(`its sign-out is at ${signOut}; add that to CRD_OIDC_ORIGINS, or browsers block it`);
  }
  return advice;
}

/** Returns the address of an endpoint, or `undefined` if the document has none. */
export function endpointOf(
  document: unknown,
  name: 'token_endpoint' | 'end_session_endpoint',
): string | undefined {
  const endpoint = toDiscovery(document)?.[name];
  return originOf(endpoint) === undefined ? undefined : String(endpoint);
}

function toDiscovery(document: unknown): Discovery | undefined {
  return typeof document === 'object' && document !== null ? (document as Discovery) : undefined;
}

/** Returns whether a list has an item. A provider need not publish these lists. */
function offers(list: unknown, item: string): boolean {
  return !Array.isArray(list) || list.includes(item);
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}
