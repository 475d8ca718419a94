import express from 'express';
import {
  VARIABLE_NAMES,
  variableOf,
  variableRows,
  type VariableName,
} from '../../../../gateway/core/configuration/variables.js';
import { configure, faultsOf, MINIMAL, SECRET } from '../../../support/gateway/environments.js';

describe('the value of', () => {
  it.each<[VariableName, string[]]>([
    ['CRD_HOST', ['0.0.0.0', '::1', 'gateway.internal']],
    ['CRD_STORE', ['file:data', 'file:///var/a store', 's3://a-bucket?region=eu-west-1']],
    [
      'CRD_JWKS',
      ['https://a.example/jwks?v=1', 'http://localhost:3000/k', 'http://[::1]/k', 'file:./k.json'],
    ],
    ['CRD_TRUST_PROXY', ['1', '9', '10.0.0.0/8', '::1', '10.0.0.1,fd00::/8']],
    ['CRD_CORS_ORIGINS', ['https://a.example', 'http://127.0.0.1:8000,https://xn--bcher-kva.example']],
    ['CRD_LINK_SECRET', ['€'.repeat(11), `${SECRET},${SECRET}`, `${SECRET}\n${SECRET}`]],
    ['CRD_JWT_AUDIENCE', ['a', 'two words', 'urn:x']],
    ['CRD_JWT_TYPE', ['JWT', 'at+jwt', 'application/at+jwt', 'vnd.example.session']],
    ['CRD_PUBLIC_BASE_URL', ['http://127.0.0.1:8080', 'https://a.example/']],
    ['CRD_S3_ENDPOINT', ['http://127.0.0.1:4566', 'https://a.example/b/c/']],
  ])('%s accepts each of its forms', (name, texts) => {
    for (const text of texts) expect(variableOf(name).parse(text)).toHaveProperty('value');
  });

  it.each<[VariableName, string[]]>([
    ['CRD_HOST', ['a b', 'http://a', '127.0.0.1:80', '-a', '[::1]']],
    ['CRD_PORT', ['-1', '65536', '080', '8080 ', '0x50', '8e3', '80.0', 'http']],
    ['CRD_METRICS_PORT', ['65536', '+1']],
    ['CRD_STORE', ['/data', 'file:', 's3://', 's3://Bucket', 'gs://bucket', ' file:a']],
    ['CRD_S3_ENDPOINT', ['localhost:4566', 'ftp://a', 'http://user:secret@a', 'http://']],
    ['CRD_S3_PATH_STYLE', ['yes', '1', 'TRUE']],
    [
      'CRD_PUBLIC_BASE_URL',
      [
        'data.example.com',
        '/data',
        'https://a?b',
        'https://a/?',
        'https://a#b',
        'https://a b',
        '//a',
        'https://a/b',
      ],
    ],
    ['CRD_PUBLIC_FILES', ['Serve', 'true', 'here']],
    ['CRD_SIGNER_ROLE', ['signer', 'arn:aws:iam::1:role/a', 'arn:aws:iam::123456789012:user/a']],
    ['CRD_URL_TTL_SECONDS', ['59', '43201', '300s']],
    ['CRD_POLL_SECONDS', ['0', '301', '1.5']],
    [
      'CRD_LINK_SECRET',
      [SECRET.slice(1), `${SECRET},`, `${SECRET},short`, `${SECRET}\n${SECRET}\n${SECRET}`],
    ],
    [
      'CRD_JWKS',
      ['http://a.example/k', 'http://127.0.0.1.example/k', 'https://u:p@a/k', './k', 'https://a#k'],
    ],
    ['CRD_JWT_ISSUER', [' a', 'a\n', 'a\u0000b']],
    ['CRD_JWT_TYPE', ['at jwt', 'a,b', 'text/jwt', '+jwt', 'a/b', 'x'.repeat(128)]],
    ['CRD_KEY_MODE', ['Live', 'prod']],
    [
      'CRD_TRUST_PROXY',
      ['0', '10', 'false', 'loopback', '10.0.0.0/0', '10.0.0.0/33', '::/129', '10.1', '1.2.3.4,'],
    ],
    [
      'CRD_CORS_ORIGINS',
      ['*', 'https://a.example/', 'HTTPS://a.example', 'https://a.example:443', 'http://a.example'],
    ],
    [
      'CRD_DASHBOARD_ORIGINS',
      ['null', 'a.example', 'https://a.example,', 'https://*.a.example/x', 'https://bücher.example'],
    ],
    ['CRD_RATE_KEY_PER_MINUTE', ['0', '1000001', 'Infinity']],
    ['CRD_RATE_ADDRESS_PER_MINUTE', ['0', '1e3']],
    ['CRD_LOG_LEVEL', ['verbose', 'INFO']],
  ])('%s rejects other forms', (name, texts) => {
    for (const text of texts)
      expect([text, variableOf(name).parse(text)]).toEqual([text, { expected: expect.any(String) }]);
  });

  it('CRD_TRUST_PROXY cannot be true, and the fault says why', () => {
    expect(faultsOf({ ...MINIMAL, CRD_TRUST_PROXY: 'true' })).toEqual([
      expect.stringMatching(/^CRD_TRUST_PROXY: .*would let every caller choose its own address$/),
    ]);
  });

  it.each(['3', '10.0.0.0/8', '10.0.0.1, fd00::/8, ::ffff:10.0.0.0/104'])(
    'CRD_TRUST_PROXY is a value that Express accepts: %s',
    (text) => {
      const { trustProxy } = configure({ ...MINIMAL, CRD_TRUST_PROXY: text });
      expect(() => express().set('trust proxy', trustProxy)).not.toThrow();
    },
  );
});

describe('VARIABLES', () => {
  it('has a valid example and default for each variable, but no secret to copy', () => {
    for (const name of VARIABLE_NAMES) {
      const { default: text, example, parse, isSecret = false } = variableOf(name);
      expect([name, 'value' in parse(example)]).toEqual([name, !isSecret]);
      expect([name, 'value' in parse(text ?? example)]).toEqual([name, !isSecret]);
    }
  });

  it('has a row of three cells for each variable', () => {
    const rows = variableRows();
    expect(rows.map(([name]) => name)).toEqual(VARIABLE_NAMES);
    for (const row of rows) {
      expect(row).toHaveLength(3);
      for (const cell of row) expect(cell).toMatch(/^[^|`\s][^|\n`]*$/);
    }
  });
});
