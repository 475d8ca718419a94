import type { VariableName } from '../../../gateway/core/configuration/variables.js';
import { roleArn, roleNames } from './names.js';
import type { Parameters } from './parameters.js';

/** Number of proxies between a client and the gateway: CloudFront and the HTTP API. */
const PROXIES = '2';

/** Returns the environment variables of the gateway, except its secrets. */
export function gatewayVariables(parameters: Parameters): Partial<Record<VariableName, string>> {
  const { buckets, host, linkSeconds, keyMode, corsOrigins, dashboardOrigins, identity } = parameters;
  return {
    CRD_STORE: `s3://${buckets.published}`,
    CRD_ACCOUNTS_STORE: `s3://${buckets.accounts}`,
    CRD_PUBLIC_BASE_URL: `https://${host}`,
    CRD_PUBLIC_FILES: 'serve', // CloudFront asks for files that the bucket lacks: a redirect would lead back to it
    CRD_SIGNER_ROLE: roleArn(parameters, roleNames(parameters).signer),
    ...(linkSeconds === undefined ? {} : { CRD_URL_TTL_SECONDS: String(linkSeconds) }),
    CRD_KEY_MODE: keyMode,
    CRD_TRUST_PROXY: PROXIES,
    ...(corsOrigins.length === 0 ? {} : { CRD_CORS_ORIGINS: corsOrigins.join(',') }),
    ...(dashboardOrigins.length === 0 ? {} : { CRD_DASHBOARD_ORIGINS: dashboardOrigins.join(',') }),
    ...(identity === undefined
      ? {}
      : {
          CRD_JWKS: identity.jwks,
          CRD_JWT_ISSUER: identity.issuer,
          CRD_JWT_AUDIENCE: identity.audience,
          ...(identity.type === undefined ? {} : { CRD_JWT_TYPE: identity.type }),
          ...signInVariables(identity),
        }),
    ...sellingVariables(parameters),
  };
}

function sellingVariables({ selling }: Parameters): Partial<Record<VariableName, string>> {
  if (selling === undefined) return {};
  return {
    CRD_STRIPE_PRICE_SINGLE_CHAIN: selling.priceSingleChain,
    CRD_STRIPE_PRICE_RESEARCH: selling.priceResearch,
    CRD_DASHBOARD_URL: selling.dashboardUrl,
  };
}

function signInVariables({
  client,
}: NonNullable<Parameters['identity']>): Partial<Record<VariableName, string>> {
  if (client === undefined) return {};
  const { id, scopes, resource, token, signOut, origins = [] } = client;
  return {
    CRD_OIDC_CLIENT_ID: id,
    ...(scopes === undefined ? {} : { CRD_OIDC_SCOPES: scopes }),
    ...(resource === undefined ? {} : { CRD_OIDC_RESOURCE: resource }),
    ...(token === undefined ? {} : { CRD_OIDC_TOKEN: token }),
    ...(signOut === undefined ? {} : { CRD_OIDC_SIGN_OUT: signOut }),
    ...(origins.length === 0 ? {} : { CRD_OIDC_ORIGINS: origins.join(',') }),
  };
}
