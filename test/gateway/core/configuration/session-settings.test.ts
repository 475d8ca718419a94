import { configure, faultsOf, MINIMAL, PROVIDER } from '../../../support/gateway/environments.js';

const CLIENT = { ...MINIMAL, ...PROVIDER, CRD_OIDC_CLIENT_ID: 'account-page' };

it('signs in at the issuer, with the access token and only the scope openid, unless told otherwise', () => {
  expect(configure(CLIENT).signIn).toEqual({
    issuer: 'https://login.example.com/',
    clientId: 'account-page',
    scopes: 'openid',
    token: 'access',
    signOut: 'post',
    origins: ['https://login.example.com'],
  });
});

it('takes scopes, a resource, the ID token and further origins', () => {
  const { signIn } = configure({
    ...CLIENT,
    CRD_OIDC_SCOPES: 'profile openid',
    CRD_OIDC_RESOURCE: 'urn:data',
    CRD_OIDC_TOKEN: 'id',
    CRD_OIDC_SIGN_OUT: 'get',
    CRD_OIDC_ORIGINS: 'https://tokens.example.com, https://login.example.com',
  });
  expect(signIn).toMatchObject({
    scopes: 'profile openid',
    resource: 'urn:data',
    token: 'id',
    signOut: 'get',
  });
  expect(signIn?.origins).toEqual(['https://login.example.com', 'https://tokens.example.com']);
});

it('has no sign-in without a client', () => {
  expect(configure({ ...MINIMAL, ...PROVIDER }).signIn).toBeUndefined();
});

it.each([
  [{ ...MINIMAL, CRD_OIDC_CLIENT_ID: 'a' }, 'CRD_OIDC_CLIENT_ID: has no effect without CRD_JWKS'],
  [
    { ...MINIMAL, ...PROVIDER, CRD_OIDC_TOKEN: 'id' },
    'CRD_OIDC_TOKEN: has no effect without CRD_OIDC_CLIENT_ID',
  ],
  [{ ...MINIMAL, ...PROVIDER, CRD_OIDC_SCOPES: 'openid' }, 'CRD_OIDC_SCOPES: has no effect'],
  [{ ...CLIENT, CRD_JWT_ISSUER: 'a name' }, 'CRD_JWT_ISSUER: expected an https:// URL'],
  [{ ...CLIENT, CRD_JWT_ISSUER: 'http://login.example.com' }, 'CRD_JWT_ISSUER: expected an https:// URL'],
  [{ ...CLIENT, CRD_OIDC_SCOPES: 'profile' }, 'CRD_OIDC_SCOPES: expected scopes'],
  [{ ...CLIENT, CRD_OIDC_SCOPES: 'openid  profile' }, 'CRD_OIDC_SCOPES: expected scopes'],
  [{ ...CLIENT, CRD_OIDC_RESOURCE: 'data' }, 'CRD_OIDC_RESOURCE: expected an absolute URI'],
  [{ ...CLIENT, CRD_OIDC_SIGN_OUT: 'POST' }, 'CRD_OIDC_SIGN_OUT: expected one of post, get'],
  [{ ...CLIENT, CRD_OIDC_TOKEN: 'refresh' }, 'CRD_OIDC_TOKEN: expected one of access, id'],
  [
    { ...CLIENT, CRD_OIDC_ORIGINS: "https://a.example.com 'unsafe-inline'" },
    'CRD_OIDC_ORIGINS: expected origins',
  ],
])('refuses %j', (env, fault) => {
  expect(faultsOf(env).join('\n')).toContain(fault);
});
