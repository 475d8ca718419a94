import { byForm, oneOf } from './parser.js';
import { parseOrigins } from './web-address.js';

/** Characters of a scope (RFC 6749 §3.3). */
const SCOPE = '[!#-\\[\\]-~]+';

/** The variables of the account page, a part of `VARIABLES`. */
export const SIGN_IN_VARIABLES = {
  CRD_OIDC_CLIENT_ID: {
    meaning:
      'id of the account page at the identity provider, a public client with PKCE; without it, nobody can sign in on that page',
    example: 'account-page',
    parse: byForm({ pattern: /^[ -~]{1,255}$/ }, 'the id of a client, printable ASCII'),
  },
  CRD_OIDC_SCOPES: {
    meaning: 'scopes that the account page requests, separated by blanks',
    default: 'openid',
    example: 'openid offline_access',
    parse: byForm(
      { pattern: new RegExp(`^(${SCOPE} )*openid( ${SCOPE})*$`, 'u'), maxLength: 1024 },
      'scopes separated by single blanks, one of them openid',
    ),
  },
  CRD_OIDC_RESOURCE: {
    meaning:
      'resource that the account page requests tokens for (RFC 8707), for a provider that needs it to issue a JWT',
    example: 'https://data.example.com/',
    parse: byForm({ formats: ['uri'], pattern: /^[^#]+$/u }, 'an absolute URI without a fragment'),
  },
  CRD_OIDC_TOKEN: {
    meaning: "token that the account page sends as its session: the provider's access token or its ID token",
    default: 'access',
    example: 'id',
    parse: oneOf(['access', 'id']),
  },
  CRD_OIDC_ORIGINS: {
    meaning:
      "origins, besides the issuer's, of the provider's token endpoint, separated by commas; the account page sends requests to no others",
    example: 'https://login.example.com',
    parse: parseOrigins,
  },
} as const;
