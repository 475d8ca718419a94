import { StoreError } from '../../infra/store/object-store.js';
import type { S3Address } from '../../infra/store/s3-address.js';
import { attemptsOf, classifyS3Error, isAbort, toS3StoreError } from '../../infra/store/s3-errors.js';

const AT: S3Address = { bucket: 'bucket', prefix: 'prefix/', pathStyle: true };

/** An error with the marks that the SDK gives it. */
const sdkError = (name: string, status: number, message = 'said S3'): unknown =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
/** An error with the marks that Node gives it. */
const systemError = (code: string): unknown =>
  Object.assign(new Error(`connect ${code} 192.0.2.1:443`), { code, syscall: 'connect' });

describe('what a failure of S3 means', () => {
  it.each([
    ['NoSuchKey', 404, 'missing'],
    ['NotFound', 404, 'missing'],
    ['NoSuchBucket', 404, 'address'],
    ['PermanentRedirect', 301, 'address'],
    ['PreconditionFailed', 412, 'precondition'],
    ['ConditionalRequestConflict', 409, 'race'],
    ['SlowDown', 503, 'throttled'],
    ['ThrottlingException', 400, 'throttled'],
    ['AccessDenied', 403, 'denied'],
    ['ExpiredToken', 400, 'denied'],
    ['RequestTimeTooSkewed', 403, 'denied'],
    ['BadDigest', 400, 'damaged'],
    ['InternalError', 500, 'unreachable'],
    ['TimeoutError', 0, 'unreachable'],
    ['Unknown', 301, 'address'],
    ['Unknown', 403, 'denied'],
    ['Unknown', 409, 'race'],
    ['Unknown', 412, 'precondition'],
    ['Unknown', 429, 'throttled'],
    ['Unknown', 500, 'unreachable'],
    ['Unknown', 502, 'unreachable'],
    ['Unknown', 503, 'throttled'],
    ['Unknown', 504, 'unreachable'],
    ['Unknown', 400, 'other'],
    ['Error', 404, 'other'],
  ])('%s with status %s: %s', (name, status, meaning) => {
    expect(classifyS3Error(sdkError(name, status))).toBe(meaning);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'])(
    '%s of the network: unreachable',
    (code) => {
      expect(classifyS3Error(systemError(code))).toBe('unreachable');
    },
  );

  it('knows the code also where an older protocol puts it', () => {
    expect(classifyS3Error({ name: 'Error', Code: 'SlowDown' })).toBe('throttled');
  });

  it('nothing of a value that is no failure of S3', () => {
    for (const error of [undefined, null, 'text', 42, {}, new TypeError('ours')]) {
      expect([error, classifyS3Error(error)]).toEqual([error, 'other']);
    }
  });
});

describe('what the operator is told', () => {
  const told = (error: unknown, address = AT): { code?: string; message?: string } =>
    toS3StoreError(error, address, 'key') as StoreError; // each test says what it is

  it.each([
    [
      'S3 asks for fewer requests, also after pauses; run again later (SlowDown: said S3)',
      sdkError('SlowDown', 503),
    ],
    [
      'S3 cannot be reached or does not answer; check the network and the endpoint, and run again (InternalError: said S3)',
      sdkError('InternalError', 500),
    ],
    [
      'S3 cannot be reached or does not answer; check the network and the endpoint, and run again (ECONNREFUSED: connect ECONNREFUSED 192.0.2.1:443)',
      systemError('ECONNREFUSED'),
    ],
    [
      'S3 cannot be reached or does not answer; check the network and the endpoint, and run again (ECONNREFUSED)',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    ],
    [
      'the secure connection to S3 fails; check whether it speaks https, and its certificate (EPROTO: connect EPROTO 192.0.2.1:443)',
      systemError('EPROTO'),
    ],
    [
      'the secure connection to S3 fails; check whether it speaks https, and its certificate (DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate)',
      Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    ],
    [
      'the secure connection to S3 fails; check whether it speaks https, and its certificate (CERT_HAS_EXPIRED: certificate has expired)',
      Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    ],
    [
      "this machine's clock is wrong by more than 15 minutes; set it and run again (RequestTimeTooSkewed: said S3)",
      sdkError('RequestTimeTooSkewed', 403),
    ],
    ['the bytes were damaged on the way; run again (BadDigest: said S3)', sdkError('BadDigest', 400)],
    [
      'other writers keep changing this key; run again (ConditionalRequestConflict: said S3)',
      sdkError('ConditionalRequestConflict', 409),
    ],
    [
      'the single sign-on session is over; sign in again and run again (TokenProviderError: said S3)',
      sdkError('TokenProviderError', 0),
    ],
    ['S3 refused the request; mend that and run again (HTTP 507)', sdkError('', 507, '')],
  ])('is: %s', (sentence, error) => {
    expect(told(error)).toMatchObject({
      name: 'StoreError',
      code: 'unavailable',
      message: `s3://bucket/prefix/key: ${sentence}`,
      cause: error,
    });
  });

  it('names the endpoint where it is not that of Amazon', () => {
    const address = { ...AT, endpoint: 'http://127.0.0.1:4566' };
    for (const error of [systemError('ECONNREFUSED'), sdkError('SlowDown', 503), systemError('EPROTO')]) {
      expect(told(error, address).message).toContain('http://127.0.0.1:4566');
    }
  });

  it('names both regions where they are known', () => {
    const error = Object.assign(sdkError('PermanentRedirect', 301) as object, {
      $response: { headers: { 'x-amz-bucket-region': 'eu-west-1' } },
    });
    expect(told(error, { ...AT, region: 'us-east-1' }).message).toContain(
      'the bucket lies in region eu-west-1, not in us-east-1; add ?region=eu-west-1',
    );
    expect(told(sdkError('PermanentRedirect', 301)).message).toContain(
      'the bucket lies in another region, not in the configured one; add ?region=REGION',
    );
  });

  it.each([
    ['an abort', Object.assign(new Error('stopped'), { name: 'AbortError' })],
    ['a failure that is told already', new StoreError('unavailable', 'told')],
    ['a bug of ours', new TypeError('not a key')],
    ['no error at all', undefined],
  ] as const)('leaves %s as it is', (...[, error]) => {
    expect(toS3StoreError(error, AT, 'key')).toBe(error);
  });

  it('knows an abort, and how often a request was sent', () => {
    expect([isAbort({ name: 'AbortError' }), isAbort(new Error('other'))]).toEqual([true, false]);
    expect([attemptsOf({ $metadata: { attempts: 3 } }), attemptsOf(new Error('other'))]).toEqual([3, 1]);
  });
});
