import fc from 'fast-check';
import type { Environment } from '../../gateway/core/configuration.js';
import { VARIABLE_NAMES } from '../../gateway/core/variables.js';
import {
  blamed,
  configure,
  DIRECTORY,
  faultsOf,
  LEAST,
  PROVIDER,
  S3,
  SECRET,
} from '../fixtures/environments.js';

describe('a configuration', () => {
  it('needs two directories and a secret; the rest has a default', () => {
    expect(configure(LEAST)).toEqual({
      host: '127.0.0.1',
      port: 8080,
      metrics: { host: '127.0.0.1', port: 9090 },
      store: { kind: 'directory', address: 'file:/data/store' },
      accountsStore: { kind: 'directory', address: 'file:/data/accounts' },
      s3: { pathStyle: false },
      urlTtlSeconds: 300,
      pollSeconds: 15,
      linkSecrets: [SECRET],
      keyMode: 'live',
      trustProxy: false,
      corsOrigins: [],
      dashboardOrigins: [],
      limits: { keyPerMinute: 600, addressPerMinute: 120 },
      logLevel: 'info',
    });
  });

  it('takes every variable at its word', () => {
    const env = {
      ...S3,
      ...PROVIDER,
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
      sessions: {
        jwks: { kind: 'url', url: PROVIDER.CRD_JWKS },
        issuer: PROVIDER.CRD_JWT_ISSUER,
        audience: PROVIDER.CRD_JWT_AUDIENCE,
      },
      keyMode: 'test',
      trustProxy: 2,
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
      dashboardOrigins: ['http://localhost:3000'],
      limits: { keyPerMinute: 1, addressPerMinute: 1_000_000 },
      logLevel: 'silent',
    });
  });

  it('takes an empty variable for none', () => {
    const empty = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, '']));
    expect(configure({ ...empty, ...LEAST })).toEqual(configure(LEAST));
    expect(blamed(empty)).toEqual(['CRD_STORE', 'CRD_ACCOUNTS_STORE']);
  });

  it('takes no notice of what is not its own', () => {
    const others = { HOME: '/root', CRDX: '1', AWS_REGION: 'eu-west-1', CRD_TEST_S3_ENDPOINT: 'http://x' };
    const tests = { CRD_SEEDS: '1', CRD_KILLS: '1', CRD_KILL_SEED: '1', CRD_RACES: '1', CRD_RACE_SEED: '1' };
    expect(configure({ ...LEAST, ...others, ...tests, CRD_OLD: undefined })).toEqual(configure(LEAST));
  });

  it.each(['CRD_PROT', 'CRD_', 'CRD_STORE_FILE', 'CRD_SEED', 'CRD_TESTS', 'CRD_toString'])(
    'is at fault for %s, which somebody has mistyped',
    (name) => {
      expect(faultsOf({ ...LEAST, [name]: 'x' })).toEqual([`${name}: the gateway has no such variable`]);
    },
  );
});

describe('the faults', () => {
  it('are all told at once, in the order of the table', () => {
    const wrong = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, '\u0000']));
    expect(blamed({ ...wrong, CRD_TYPO: '1' })).toEqual([...VARIABLE_NAMES, 'CRD_TYPO']);
  });

  it('never tell a value', () => {
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
    ['a bad secret, which is told once', { ...DIRECTORY, CRD_LINK_SECRET: 'a' }, ['CRD_LINK_SECRET']],
    ['an S3 store with a secret', { ...S3, CRD_LINK_SECRET: SECRET }, ['CRD_LINK_SECRET']],
    [
      'a role to sign links of a directory',
      { ...LEAST, CRD_SIGNER_ROLE: 'arn:aws:iam::123456789012:role/r' },
      ['CRD_SIGNER_ROLE'],
    ],
    [
      'a choice for public files of a directory',
      { ...LEAST, CRD_PUBLIC_FILES: 'serve' },
      ['CRD_PUBLIC_FILES'],
    ],
    ['an S3 store without a base', { ...S3, CRD_PUBLIC_BASE_URL: '' }, ['CRD_PUBLIC_BASE_URL']],
    [
      'an S3 endpoint for directories',
      { ...LEAST, CRD_S3_ENDPOINT: 'http://127.0.0.1:4566' },
      ['CRD_S3_ENDPOINT'],
    ],
    ['a provider alone', { ...LEAST, CRD_JWKS: PROVIDER.CRD_JWKS }, ['CRD_JWT_ISSUER', 'CRD_JWT_AUDIENCE']],
    ['a bad provider, which is told once', { ...LEAST, ...PROVIDER, CRD_JWKS: 'a' }, ['CRD_JWKS']],
    ['an issuer without a provider', { ...LEAST, CRD_JWT_ISSUER: 'a' }, ['CRD_JWT_ISSUER']],
    ['one port for both', { ...LEAST, CRD_METRICS_PORT: '8080' }, ['CRD_METRICS_PORT']],
    [
      'one port for an address and all',
      { ...LEAST, CRD_METRICS_HOST: '::', CRD_PORT: '9090' },
      ['CRD_METRICS_PORT'],
    ],
    ['links to no address', { ...LEAST, CRD_HOST: '0.0.0.0' }, ['CRD_PUBLIC_BASE_URL']],
    ['links to an address', { ...LEAST, CRD_HOST: '::', CRD_PUBLIC_BASE_URL: 'https://a.example' }, []],
    ['no links of ours', { ...S3, CRD_HOST: '::' }, []],
    ['one port of two addresses', { ...LEAST, CRD_HOST: '10.0.0.1', CRD_PORT: '9090' }, []],
    ['two free ports', { ...LEAST, CRD_PORT: '0', CRD_METRICS_PORT: '0' }, []],
    ['a directory beside S3 accounts', { ...LEAST, CRD_ACCOUNTS_STORE: 's3://accounts' }, []],
  ])('name the right variables: %s', (_what, env, names) => {
    expect(blamed(env)).toEqual(names);
  });
});
