import { SESSION_ALGORITHMS } from './session-algorithms.js';
import type { SignInSettings } from './session-settings.js';

/**
 * Returns the faults in the identity provider's discovery document (OpenID Connect Discovery 1.0 §3) that keep the
 * account page from signing in.
 */
export function findDiscoveryFaults(
  document: unknown,
  { issuer, origins, scopes }: Pick<SignInSettings, 'issuer' | 'origins' | 'scopes'>,
): string[] {
  if (typeof document !== 'object' || document === null)
    return ['its discovery document is not a JSON object'];
  const members = document as Readonly<Record<string, unknown>>;
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
  const unknown = scopes.split(' ').filter((scope) => !offers(members['scopes_supported'], scope));
  if (unknown.length > 0)
    faults.push(`it does not offer these scopes of CRD_OIDC_SCOPES: ${unknown.join(', ')}`);
  return faults;
}

/** Returns whether a list has an item. A provider need not publish these lists. */
function offers(list: unknown, item: string): boolean {
  return !Array.isArray(list) || list.includes(item);
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}
