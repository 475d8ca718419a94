import fc from 'fast-check';
import { parseStoreAddress } from '../../../../gateway/core/configuration/store-address.js';
import { parseS3Address } from '../../../../infra/store/s3/s3-address.js';
import { faultyVariables, faultsOf, SECRET } from '../../../support/gateway/environments.js';

describe('the two stores', () => {
  it.each([
    ['file:/data', 'file:/data'],
    ['file:/data', 'file:///data/'],
    ['file:data', 'file:./data'],
    ['file:/data', 'file:/data/accounts'],
    ['file:/data/store/x', 'file:/data/./y/../store'],
    ['file:/', 'file:/data'],
    ['file:.', 'file:data'],
    ['s3://bucket', 's3://bucket/'],
    ['s3://bucket', 's3://bucket/accounts'],
    ['s3://bucket/a/b', 's3://bucket/a/'],
    ['s3://bucket?region=eu-west-1', 's3://bucket?region=us-east-1'],
    ['s3://bucket?endpoint=http://a', 's3://bucket?endpoint=http://a/&path-style=true'],
    ['s3://bucket?endpoint=http://127.0.0.1:4566', 's3://bucket'],
  ])('cannot be the same or one inside the other: %s and %s', (one, other) => {
    const isS3 = one.startsWith('s3:');
    const rest = isS3
      ? { CRD_PUBLIC_BASE_URL: 'https://a.example', CRD_S3_ENDPOINT: 'http://127.0.0.1:4566' }
      : { CRD_LINK_SECRET: SECRET };
    for (const [store, accounts] of [
      [one, other],
      [other, one],
    ]) {
      expect(faultyVariables({ ...rest, CRD_STORE: store, CRD_ACCOUNTS_STORE: accounts })).toEqual([
        'CRD_ACCOUNTS_STORE',
      ]);
    }
  });

  it.each([
    ['file:/data/store', 'file:/data/store2'],
    ['file:/data/store', 'file:/data/accounts'],
    ['file:a/../../b', 'file:b'],
    ['s3://bucket/a', 's3://bucket/ab'],
    ['s3://bucket', 's3://bucket2'],
    ['s3://bucket?endpoint=http://a', 's3://bucket?endpoint=http://b'],
  ])('can be next to each other: %s and %s', (one, other) => {
    const rest = one.startsWith('s3:')
      ? { CRD_PUBLIC_BASE_URL: 'https://a.example' }
      : { CRD_LINK_SECRET: SECRET };
    expect(faultsOf({ ...rest, CRD_STORE: one, CRD_ACCOUNTS_STORE: other })).toEqual([]);
  });

  it('have a valid S3 address exactly when `parseS3Address` accepts it', () => {
    const part = fc.constantFrom(
      's3://',
      'bucket',
      'B',
      '/',
      'a',
      '.',
      '_',
      '?',
      'region=',
      'profile=',
      'endpoint=',
      'http://h',
      'http://user:pw@h',
      '@',
      'toString=',
      'constructor=',
      '__proto__=',
      '&',
      'path-style=',
      'true',
      '#',
      ' ',
      '%2F',
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => `s3://bucket${parts.join('')}`);
    fc.assert(
      fc.property(text, (address) => {
        expect('value' in parseStoreAddress(address)).toBe(isS3Address(address));
      }),
      {
        numRuns: 500,
        examples: [
          ['s3://bucket?toString=1'],
          ['s3://bucket?__proto__=1'],
          ['s3://bucket?endpoint=http://user:pw@h'],
        ],
      },
    );
  });
});

function isS3Address(text: string): boolean {
  try {
    return parseS3Address(text).bucket !== '';
  } catch {
    return false;
  }
}
