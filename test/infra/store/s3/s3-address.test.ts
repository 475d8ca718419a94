import { StoreError } from '../../../../infra/store/object-store.js';
import { readS3Address } from '../../../../infra/store/s3/s3-address.js';

const PLAIN = { bucket: 'my-bucket', prefix: '', pathStyle: false };

describe('an S3 address', () => {
  it.each([
    ['s3://my-bucket', PLAIN],
    ['s3://my-bucket/', PLAIN],
    ['s3://my-bucket/data', { ...PLAIN, prefix: 'data/' }],
    ['s3://my-bucket/data/', { ...PLAIN, prefix: 'data/' }],
    ['s3://my-bucket/a/b.c/D_e-f=1', { ...PLAIN, prefix: 'a/b.c/D_e-f=1/' }],
    ['s3://my.bucket.name/data', { ...PLAIN, bucket: 'my.bucket.name', prefix: 'data/' }],
    ['s3://my-bucket/data?region=eu-west-1', { ...PLAIN, prefix: 'data/', region: 'eu-west-1' }],
    ['s3://my-bucket?path-style=true', { ...PLAIN, pathStyle: true }],
    ['s3://my-bucket?path-style=false', PLAIN],
    ['s3://my-bucket?profile=backup', { ...PLAIN, profile: 'backup' }],
    [
      's3://my-bucket/data?endpoint=http://127.0.0.1:4566&region=us-east-1&path-style=true',
      {
        bucket: 'my-bucket',
        prefix: 'data/',
        endpoint: 'http://127.0.0.1:4566',
        region: 'us-east-1',
        pathStyle: true,
      },
    ],
    [
      's3://my-bucket?endpoint=https%3A%2F%2Fs3.example%2Fbase',
      { ...PLAIN, endpoint: 'https://s3.example/base' },
    ],
  ])('is parsed: %s', (text, address) => {
    expect(readS3Address(text)).toEqual(address);
  });

  it('takes missing parameters from the options', () => {
    const options = { endpoint: 'http://127.0.0.1:4566', region: 'eu-west-1', pathStyle: true };
    expect(readS3Address('s3://my-bucket', options)).toEqual({ ...PLAIN, ...options });
    expect(
      readS3Address('s3://my-bucket?endpoint=https://s3.example&region=us-east-1&path-style=false', options),
    ).toEqual({ ...PLAIN, endpoint: 'https://s3.example', region: 'us-east-1' });
  });

  it.each([
    's3:',
    's3://',
    's3:///data',
    's3:my-bucket',
    'S3://my-bucket',
    's3://a',
    's3://My-Bucket',
    's3://my_bucket',
    's3://-bucket',
    's3://my-bucket/../other',
    's3://my-bucket/a//b',
    's3://my-bucket//',
    's3://my-bucket/.hidden',
    's3://my-bucket/a b',
    's3://my-bucket/a#b',
    's3://user:secret@my-bucket',
    's3://my-bucket?zone=1',
    's3://my-bucket?toString=1',
    's3://my-bucket?__proto__=1',
    's3://my-bucket?region=',
    's3://my-bucket?region=eu west',
    's3://my-bucket?path-style=yes',
    's3://my-bucket?path-style',
    's3://my-bucket?profile=',
    's3://my-bucket?endpoint=',
  ])('is rejected with a message that shows the format: %s', (text) => {
    expect(() => readS3Address(text)).toThrow(StoreError);
    expect(() => readS3Address(text)).toThrow(
      expect.objectContaining({
        code: 'address',
        message: expect.stringMatching(
          /^".*" is not an S3 address. Use s3:\/\/bucket\/prefix, with \?endpoint=/,
        ),
      }),
    );
  });

  it.each(['127.0.0.1:4566', 'localhost', 'ftp://s3.example', 'file:///etc', 'nonsense'])(
    'is rejected with the endpoint %s, which is not the URL of a server',
    (endpoint) => {
      const message = `"${endpoint}" is not an endpoint. Use a URL, for example http://127.0.0.1:4566.`;
      const refusal = expect.objectContaining({ code: 'address', message });
      expect(() => readS3Address(`s3://my-bucket?endpoint=${endpoint}`)).toThrow(refusal);
      expect(() => readS3Address('s3://my-bucket', { endpoint })).toThrow(refusal);
    },
  );

  it.each([
    's3://AKIAPLANTED:SECRET@bucket/p',
    's3://bucket?endpoint=https://user:SECRET@s3.example.com',
    's3://A:B@bucket?endpoint=https://user:SECRET@s3.example.com',
    's3://bucket?endpoint=https://user:SEC/SECRET@s3.example.com',
    's3://bucket?endpoint=https:user:SECRET@s3.example.com',
    's3://bucket?endpoint=https%3A%2F%2Fuser%3ASECRET%40s3.example.com&unknown=1',
  ])('is rejected if it contains credentials, which the message does not repeat: %s', (address) => {
    expect(() => readS3Address(address)).toThrow(StoreError);
    expect(() => readS3Address(address)).not.toThrow(/SECRET|AKIAPLANTED/);
  });
});
