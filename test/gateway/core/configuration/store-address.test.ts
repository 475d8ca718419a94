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
});
