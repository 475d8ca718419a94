import { findDiscoveryFaults } from '../../core/configuration/discovery-faults.js';
import { PROVIDER_LIMIT_MS } from '../timing/time-limit.js';
import type { ExaminationOptions } from './examination-options.js';
import { describeError, fault, fine, skipped, type Verdict } from './finding.js';

/** Path of the document about an issuer, below it (OpenID Connect Discovery 1.0 §4). */
const DISCOVERY = '/.well-known/openid-configuration';

/** Checks that the account page can sign in: what the provider says about itself fits the configuration. */
export async function examineSignIn({ configuration, fetch }: ExaminationOptions): Promise<Verdict> {
  const { signIn } = configuration;
  if (signIn === undefined) {
    return skipped('CRD_OIDC_CLIENT_ID is not set: nobody can sign in on the account page');
  }
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_MS);
  const url = `${signIn.issuer.replace(/\/$/, '')}${DISCOVERY}`;
  const response = await fetch(url, { redirect: 'error', signal }).catch((error: unknown) => {
    throw new Error(`${url} cannot be read: ${describeError(error)}`);
  });
  if (!response.ok) return fault(`${url} answers ${response.status}`);
  const document: unknown = await response.json().catch(() => undefined);
  const faults = findDiscoveryFaults(document, signIn);
  return faults.length === 0
    ? fine('its provider offers what the page needs; signing in was not tried')
    : fault(faults.join('; '));
}
