import { parsePageUrl, type KeySetAddress } from './web-address.js';

/** The identity provider, and what its session tokens must name. */
export type SessionSettings = {
  readonly jwks: KeySetAddress;
  readonly issuer: string;
  readonly audience: string;
  /** Required type of the tokens. By default, it must be JWT or absent. */
  readonly type?: string;
};

/** Sign-in settings of the account page (OpenID Connect, authorization code with PKCE). */
export type SignInSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Separated by blanks. */
  readonly scopes: string;
  readonly resource?: string;
  /** The token that is the session. */
  readonly token: 'access' | 'id';
  /** How the page ends the session at the provider: by a form with the ID token, or by a link without it. */
  readonly signOut: 'post' | 'get';
  /** Origins to which the page sends requests and forms: the issuer's first. */
  readonly origins: readonly string[];
};

/** Variables of sessions and of the account page that are set and valid. */
type SessionValues = {
  readonly CRD_JWKS?: KeySetAddress;
  readonly CRD_JWT_ISSUER?: string;
  readonly CRD_JWT_AUDIENCE?: string;
  readonly CRD_JWT_TYPE?: string;
  readonly CRD_OIDC_CLIENT_ID?: string;
  readonly CRD_OIDC_SCOPES?: string;
  readonly CRD_OIDC_RESOURCE?: string;
  readonly CRD_OIDC_TOKEN?: 'access' | 'id';
  readonly CRD_OIDC_SIGN_OUT?: 'post' | 'get';
  readonly CRD_OIDC_ORIGINS?: readonly string[];
};

const OF_PROVIDER = ['CRD_JWT_ISSUER', 'CRD_JWT_AUDIENCE', 'CRD_JWT_TYPE'] as const;
const OF_CLIENT = [
  'CRD_OIDC_SCOPES',
  'CRD_OIDC_RESOURCE',
  'CRD_OIDC_TOKEN',
  'CRD_OIDC_SIGN_OUT',
  'CRD_OIDC_ORIGINS',
] as const;

/**
 * Returns the conflicts between these variables. `isGiven` is also true for a variable with an invalid value, and false for
 * a default. `exampleSuffix` returns ", for example ...".
 */
export function findSessionConflicts(
  values: SessionValues,
  isGiven: (name: keyof SessionValues) => boolean,
  exampleSuffix: (name: keyof SessionValues) => string,
): string[] {
  const hasProvider = isGiven('CRD_JWKS');
  const ofProvider = OF_PROVIDER.flatMap((name) => {
    if (isGiven(name) === hasProvider || (hasProvider && name === 'CRD_JWT_TYPE')) return [];
    return hasProvider
      ? `${name}: required with CRD_JWKS${exampleSuffix(name)}`
      : `${name}: has no effect without CRD_JWKS; set CRD_JWKS too, or unset this`;
  });
  return [...ofProvider, ...findClientConflicts(values, isGiven)];
}

function findClientConflicts(
  { CRD_JWT_ISSUER: issuer }: SessionValues,
  isGiven: (name: keyof SessionValues) => boolean,
): string[] {
  if (!isGiven('CRD_OIDC_CLIENT_ID')) {
    return OF_CLIENT.filter((name) => isGiven(name)).map(
      (name) => `${name}: has no effect without CRD_OIDC_CLIENT_ID; set both, or unset this one`,
    );
  }
  if (!isGiven('CRD_JWKS')) {
    return ['CRD_OIDC_CLIENT_ID: has no effect without CRD_JWKS; set CRD_JWKS too, or unset this'];
  }
  if (issuer === undefined || originOf(issuer) !== undefined) return [];
  return [
    'CRD_JWT_ISSUER: expected an https:// URL (http:// on loopback only) with CRD_OIDC_CLIENT_ID, because the account page asks the issuer for its addresses',
  ];
}

/** Returns the identity provider, or `undefined` if there is none. Precondition: there are no conflicts. */
export function toSessionSettings(values: SessionValues): SessionSettings | undefined {
  const { CRD_JWKS: jwks, CRD_JWT_ISSUER: issuer, CRD_JWT_AUDIENCE: audience, CRD_JWT_TYPE: type } = values;
  if (jwks === undefined || issuer === undefined || audience === undefined) return undefined;
  return { jwks, issuer, audience, ...(type === undefined ? {} : { type }) };
}

/** Returns how the account page signs in, or `undefined` if it cannot. Precondition: there are no conflicts. */
export function toSignInSettings(values: SessionValues): SignInSettings | undefined {
  const { CRD_JWT_ISSUER: issuer = '', CRD_OIDC_CLIENT_ID: clientId, CRD_OIDC_RESOURCE: resource } = values;
  const origin = originOf(issuer);
  if (clientId === undefined || origin === undefined) return undefined;
  return {
    issuer,
    clientId,
    scopes: values.CRD_OIDC_SCOPES ?? 'openid',
    ...(resource === undefined ? {} : { resource }),
    token: values.CRD_OIDC_TOKEN ?? 'access',
    signOut: values.CRD_OIDC_SIGN_OUT ?? 'post',
    origins: [...new Set([origin, ...(values.CRD_OIDC_ORIGINS ?? [])])],
  };
}

function originOf(issuer: string): string | undefined {
  const parsed = parsePageUrl(issuer);
  return 'value' in parsed && !issuer.includes('?') ? new URL(issuer).origin : undefined;
}
