import {
  findDiscoveryAdvice,
  findDiscoveryFaults,
} from '../../../../gateway/core/configuration/discovery-faults.js';

const SETTINGS = {
  issuer: 'https://login.example.com/',
  origins: ['https://login.example.com'],
  scopes: 'openid profile',
};
const DOCUMENT = {
  issuer: 'https://login.example.com/',
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
  end_session_endpoint: 'https://login.example.com/logout',
  code_challenge_methods_supported: ['S256'],
  scopes_supported: ['openid', 'profile'],
};

it('finds nothing wrong with a provider that fits, or that publishes only what it must', () => {
  const { code_challenge_methods_supported: _methods, scopes_supported: _scopes, ...least } = DOCUMENT;
  expect(findDiscoveryFaults(DOCUMENT, SETTINGS)).toEqual([]);
  expect(findDiscoveryFaults(least, SETTINGS)).toEqual([]);
  expect(findDiscoveryAdvice(DOCUMENT, SETTINGS)).toEqual([]);
  expect(findDiscoveryAdvice(least, SETTINGS)).toEqual([]);
});

it.each(['EdDSA', 'Ed25519', 'RS256'])('accepts a provider that signs ID tokens with %s', (name) => {
  const document = { ...DOCUMENT, id_token_signing_alg_values_supported: ['HS256', name] };
  expect(findDiscoveryFaults(document, SETTINGS)).toEqual([]);
});

it.each([
  [null, 'not a JSON object'],
  [{ ...DOCUMENT, issuer: 'https://login.example.com' }, 'set CRD_JWT_ISSUER to exactly that'],
  [{ ...DOCUMENT, issuer: undefined }, 'has no issuer'],
  [
    { ...DOCUMENT, token_endpoint: 'https://t.example.com/token' },
    'at https://t.example.com; add that to CRD_OIDC_ORIGINS',
  ],
  [{ ...DOCUMENT, authorization_endpoint: undefined }, 'no authorization_endpoint'],
  [{ ...DOCUMENT, code_challenge_methods_supported: ['plain'] }, 'PKCE with S256'],
  [{ ...DOCUMENT, id_token_signing_alg_values_supported: ['HS256', 'none'] }, 'none of RS256'],
])('explains what does not fit: %j', (document, fault) => {
  const faults = findDiscoveryFaults(document, SETTINGS);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(fault);
});

it.each([
  // As Hydra 2.3.0 answers: it accepts every scope of its clients, and lists three.
  [{ ...DOCUMENT, scopes_supported: ['offline_access', 'offline', 'openid'] }, 'CRD_OIDC_SCOPES: profile'],
  [{ ...DOCUMENT, end_session_endpoint: undefined }, 'stays signed in at the provider'],
  [{ ...DOCUMENT, end_session_endpoint: 'logout' }, 'stays signed in at the provider'],
  [
    { ...DOCUMENT, end_session_endpoint: 'https://sso.example.com/logout' },
    'at https://sso.example.com; add that to CRD_OIDC_ORIGINS',
  ],
])('advises on what may be right: %j', (document, words) => {
  expect(findDiscoveryFaults(document, SETTINGS)).toEqual([]);
  const advice = findDiscoveryAdvice(document, SETTINGS);
  expect(advice).toHaveLength(1);
  expect(advice[0]).toContain(words);
});
