import fc from 'fast-check';
import type { Environment } from '../../../../gateway/core/configuration/configuration.js';
import { VARIABLE_NAMES } from '../../../../gateway/core/configuration/variables.js';
import {
  faultyVariables,
  configure,
  DIRECTORY,
  faultsOf,
  MINIMAL,
  PROVIDER,
  S3,
  SECRET,
} from '../../../support/gateway/environments.js';

describe('a configuration', () => {
  it('requires two directories and a secret, and has defaults for the rest', () => {
    expect(configure(MINIMAL)).toEqual({
      host: '127.0.0.1',
      port: 8080,
      metrics: { host: '127.0.0.1', port: 9090 },
      store: { kind: 'directory', address: 'file:/data/store' },
      accountsStore: { kind: 'directory', address: 'file:/data/accounts' },
      s3: { pathStyle: false },
      urlTtlSeconds: 300,
      pollSeconds: 15,
      linkSecrets: [SECRET],
      originSecrets: [],
      keyMode: 'live',
      trustProxy: false,
      corsOrigins: [],
      dashboardOrigins: [],
      limits: { keyPerMinute: 600, addressPerMinute: 300 },
      logLevel: 'info',
    });
  });

  it('reads every variable, apart from those of billing and the secret of links', () => {
    const env = {
      ...S3,
      ...PROVIDER,
      CRD_JWT_TYPE: 'at+jwt',
      CRD_HOST: '::',
      CRD_PORT: '0',
      CRD_METRICS_HOST: 'localhost',
      CRD_METRICS_PORT: '65535',
      CRD_S3_ENDPOINT: 'http://127.0.0.1:4566/',
      CRD_S3_PATH_STYLE: 'true',
      CRD_PUBLIC_BASE_URL: 'https://data.example.com/',
      CRD_PUBLIC_FILES: 'serve',
      CRD_SIGNER_ROLE: 'arn:aws:iam::123456789012:role/signer',
      CRD_URL_TTL_SECONDS: '60',
      CRD_POLL_SECONDS: '1',
      CRD_KEY_MODE: 'test',
      CRD_ORIGIN_SECRET: `${SECRET}-new,${SECRET}`,
      CRD_TRUST_PROXY: '2',
      CRD_CORS_ORIGINS: 'https://a.example, https://b.example:8443',
      CRD_DASHBOARD_ORIGINS: 'http://localhost:3000',
      CRD_RATE_KEY_PER_MINUTE: '1',
      CRD_RATE_ADDRESS_PER_MINUTE: '1000000',
      CRD_LOG_LEVEL: 'silent',
    };
    expect(configure(env)).toEqual({
      host: '::',
      port: 0,
      metrics: { host: 'localhost', port: 65_535 },
      store: { kind: 's3', address: 's3://releases/data' },
      accountsStore: { kind: 's3', address: 's3://accounts' },
      s3: { endpoint: 'http://127.0.0.1:4566', pathStyle: true },
      publicBaseUrl: 'https://data.example.com',
      servesPublicFiles: true,
      signerRole: 'arn:aws:iam::123456789012:role/signer',
      urlTtlSeconds: 60,
      pollSeconds: 1,
      linkSecrets: [],
      originSecrets: [`${SECRET}-new`, SECRET],
      sessions: {
        jwks: { kind: 'url', url: PROVIDER.CRD_JWKS },
        issuer: PROVIDER.CRD_JWT_ISSUER,
        audience: PROVIDER.CRD_JWT_AUDIENCE,
        type: 'at+jwt',
      },
      keyMode: 'test',
      trustProxy: 2,
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
      dashboardOrigins: ['http://localhost:3000'],
      limits: { keyPerMinute: 1, addressPerMinute: 1_000_000 },
      logLevel: 'silent',
    });
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, '']));
    expect(configure({ ...empty, ...MINIMAL })).toEqual(configure(MINIMAL));
    expect(faultyVariables(empty)).toEqual(['CRD_STORE', 'CRD_ACCOUNTS_STORE']);
  });

  it('ignores variables of other programs, of the tests, of the client and of the generator', () => {
    const others = { HOME: '/root', CRDX: '1', AWS_REGION: 'eu-west-1', CRD_TEST_S3_ENDPOINT: 'http://x' };
    const tests = { CRD_SEEDS: '1', CRD_KILLS: '1', CRD_KILL_SEED: '1', CRD_RACES: '1' };
    const client = { CRD_API_KEY: 'crd_live_x', CRD_BASE_URL: 'https://example.com', CRD_CACHE_DIR: 'x' };
    const signing = { CRD_SIGNING_KEY_FILE: 'x', CRD_SIGNING_KEY: 'kms:x', CRD_SIGNING_TRUST: 'x' };
    const environment = { ...MINIMAL, ...others, ...tests, ...client, ...signing, CRD_OLD: undefined };
    expect(configure(environment)).toEqual(configure(MINIMAL));
  });

  it.each(['CRD_PROT', 'CRD_', 'CRD_STORE_FILE', 'CRD_SEED', 'CRD_TESTS', 'CRD_toString'])(
    'has a fault for the misspelt variable %s',
    (name) => {
      expect(faultsOf({ ...MINIMAL, [name]: 'x' })).toEqual([
        `${name}: unknown variable. Correct its name or unset it.`,
      ]);
    },
  );
});

describe('the faults', () => {
  it('are all reported at once, in the order of `VARIABLES`', () => {
    const wrong = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, '\u0000']));
    expect(faultyVariables({ ...wrong, CRD_TYPO: '1' })).toEqual([...VARIABLE_NAMES, 'CRD_TYPO']);
  });

  it('never contain a value', () => {
    const planted = 'Planted Value';
    const name = fc.constantFrom(...VARIABLE_NAMES);
    const text = fc.constantFrom(
      planted,
      `https://${planted}`,
      `file:x,${planted}`,
      `s3://${planted}`,
      `1,${planted}`,
    );
    fc.assert(
      fc.property(fc.dictionary(name, text), (env) => {
        expect(faultsOf(env).join('\n')).not.toContain(planted);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Environment, string[]]>([
    ['a directory store without a secret', DIRECTORY, ['CRD_LINK_SECRET']],
    ['an invalid secret, reported once', { ...DIRECTORY, CRD_LINK_SECRET: 'a' }, ['CRD_LINK_SECRET']],
    ['an S3 store with a secret', { ...S3, CRD_LINK_SECRET: SECRET }, ['CRD_LINK_SECRET']],
    [
      'a role to sign links of a directory',
      { ...MINIMAL, CRD_SIGNER_ROLE: 'arn:aws:iam::123456789012:role/r' },
      ['CRD_SIGNER_ROLE'],
    ],
    [
      'a setting for public files of a directory',
      { ...MINIMAL, CRD_PUBLIC_FILES: 'serve' },
      ['CRD_PUBLIC_FILES'],
    ],
    ['an S3 store without a public base URL', { ...S3, CRD_PUBLIC_BASE_URL: '' }, ['CRD_PUBLIC_BASE_URL']],
    [
      'an S3 endpoint for directories',
      { ...MINIMAL, CRD_S3_ENDPOINT: 'http://127.0.0.1:4566' },
      ['CRD_S3_ENDPOINT'],
    ],
    [
      'a JWKS without issuer and audience',
      { ...MINIMAL, CRD_JWKS: PROVIDER.CRD_JWKS },
      ['CRD_JWT_ISSUER', 'CRD_JWT_AUDIENCE'],
    ],
    ['an invalid JWKS, reported once', { ...MINIMAL, ...PROVIDER, CRD_JWKS: 'a' }, ['CRD_JWKS']],
    ['a token type without a JWKS', { ...MINIMAL, CRD_JWT_TYPE: 'at+jwt' }, ['CRD_JWT_TYPE']],
    ['an issuer without a JWKS', { ...MINIMAL, CRD_JWT_ISSUER: 'a' }, ['CRD_JWT_ISSUER']],
    ['the same port for API and metrics', { ...MINIMAL, CRD_METRICS_PORT: '8080' }, ['CRD_METRICS_PORT']],
    [
      'the same port on one address and on all addresses',
      { ...MINIMAL, CRD_METRICS_HOST: '::', CRD_PORT: '9090' },
      ['CRD_METRICS_PORT'],
    ],
    [
      'a directory store on a wildcard address without a public base URL',
      { ...MINIMAL, CRD_HOST: '0.0.0.0' },
      ['CRD_PUBLIC_BASE_URL'],
    ],
    [
      'a directory store on a wildcard address with a public base URL',
      { ...MINIMAL, CRD_HOST: '::', CRD_PUBLIC_BASE_URL: 'https://a.example' },
      [],
    ],
    ['an S3 store on a wildcard address', { ...S3, CRD_HOST: '::' }, []],
    ['the same port on two addresses', { ...MINIMAL, CRD_HOST: '10.0.0.1', CRD_PORT: '9090' }, []],
    ['port 0 for both', { ...MINIMAL, CRD_PORT: '0', CRD_METRICS_PORT: '0' }, []],
    ['a directory store with S3 accounts', { ...MINIMAL, CRD_ACCOUNTS_STORE: 's3://accounts' }, []],
  ])('name the faulty variables: %s', (_what, env, names) => {
    expect(faultyVariables(env)).toEqual(names);
  });
});
