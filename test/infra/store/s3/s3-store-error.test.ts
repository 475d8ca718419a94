import { StoreError } from '../../../../infra/store/object-store.js';
import type { S3Address } from '../../../../schemas/store-address.js';
import { toS3StoreError } from '../../../../infra/store/s3/s3-store-error.js';

const AT: S3Address = { bucket: 'bucket', prefix: 'prefix/', pathStyle: true };

/** An error with the properties that the SDK sets. */
const sdkError = (name: string, status: number, message = 'message of S3'): unknown =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
/** An error with the properties that Node sets. */
const systemError = (code: string): unknown =>
  Object.assign(new Error(`connect ${code} 192.0.2.1:443`), { code, syscall: 'connect' });

describe('the message to the operator', () => {
  const convert = (error: unknown, address = AT): { code?: string; message?: string } =>
    toS3StoreError(error, address, 'key') as StoreError; // each test checks that it is one

  it.each([
    [
      'S3 throttles requests, even after retries (SlowDown: message of S3). Run again later.',
      sdkError('SlowDown', 503),
    ],
    [
      'S3 cannot be reached or does not answer (InternalError: message of S3). Check the network and the endpoint, and run again.',
      sdkError('InternalError', 500),
    ],
    [
      'S3 cannot be reached or does not answer (ECONNREFUSED: connect ECONNREFUSED 192.0.2.1:443). Check the network and the endpoint, and run again.',
      systemError('ECONNREFUSED'),
    ],
    [
      'S3 cannot be reached or does not answer (ECONNREFUSED). Check the network and the endpoint, and run again.',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    ],
    [
      'the TLS connection to S3 failed (EPROTO: connect EPROTO 192.0.2.1:443). Check that the server speaks https, and its certificate.',
      systemError('EPROTO'),
    ],
    [
      'the TLS connection to S3 failed (DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate). Check that the server speaks https, and its certificate.',
      Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    ],
    [
      'the TLS connection to S3 failed (CERT_HAS_EXPIRED: certificate has expired). Check that the server speaks https, and its certificate.',
      Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    ],
    [
      "this machine's clock is wrong by more than 15 minutes (RequestTimeTooSkewed: message of S3). Set the clock and run again.",
      sdkError('RequestTimeTooSkewed', 403),
    ],
    ['the bytes were damaged in transit (BadDigest: message of S3). Run again.', sdkError('BadDigest', 400)],
    [
      'other writers keep changing this key (ConditionalRequestConflict: message of S3). Run again.',
      sdkError('ConditionalRequestConflict', 409),
    ],
    [
      'the single sign-on session has ended (TokenProviderError: message of S3). Sign in again and run again.',
      sdkError('TokenProviderError', 0),
    ],
    ['S3 rejected the request (HTTP 507). Fix the cause and run again.', sdkError('', 507, '')],
  ])('is: %s', (sentence, error) => {
    expect(convert(error)).toMatchObject({
      name: 'StoreError',
      code: 'unavailable',
      message: `s3://bucket/prefix/key: ${sentence}`,
      cause: error,
    });
  });

  it("names the endpoint if it is not Amazon's", () => {
    const address = { ...AT, endpoint: 'http://127.0.0.1:4566' };
    for (const error of [systemError('ECONNREFUSED'), sdkError('SlowDown', 503), systemError('EPROTO')]) {
      expect(convert(error, address).message).toContain('http://127.0.0.1:4566');
    }
  });

  it('names both regions if they are known', () => {
    const error = Object.assign(sdkError('PermanentRedirect', 301) as object, {
      $response: { headers: { 'x-amz-bucket-region': 'eu-west-1' } },
    });
    expect(convert(error, { ...AT, region: 'us-east-1' }).message).toContain(
      'the bucket is in region eu-west-1, not in us-east-1 (PermanentRedirect: message of S3). Add ?region=eu-west-1',
    );
    expect(convert(sdkError('PermanentRedirect', 301)).message).toContain(
      'the bucket is in another region, not in the configured one (PermanentRedirect: message of S3). Add ?region=REGION',
    );
  });

  it.each([
    ['an abort', Object.assign(new Error('stopped'), { name: 'AbortError' })],
    ['a StoreError', new StoreError('unavailable', 'message')],
    ['a TypeError', new TypeError('not a key')],
    ['undefined', undefined],
  ] as const)('does not change %s', (...[, error]) => {
    expect(toS3StoreError(error, AT, 'key')).toBe(error);
  });
});
