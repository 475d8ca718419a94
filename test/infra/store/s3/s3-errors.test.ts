import { attemptsOf, classifyS3Error, isAbort } from '../../../../infra/store/s3/s3-errors.js';

/** An error with the properties that the SDK sets. */
const sdkError = (name: string, status: number): unknown =>
  Object.assign(new Error('message of S3'), { name, $metadata: { httpStatusCode: status } });

describe('the class of an S3 error', () => {
  it.each([
    ['NoSuchKey', 404, 'missing'],
    ['NotFound', 404, 'missing'],
    ['NoSuchBucket', 404, 'wrong-address'],
    ['PermanentRedirect', 301, 'wrong-address'],
    ['PreconditionFailed', 412, 'precondition'],
    ['ConditionalRequestConflict', 409, 'conflict'],
    ['SlowDown', 503, 'throttled'],
    ['ThrottlingException', 400, 'throttled'],
    ['AccessDenied', 403, 'denied'],
    ['ExpiredToken', 400, 'denied'],
    ['RequestTimeTooSkewed', 403, 'denied'],
    ['BadDigest', 400, 'damaged'],
    ['InternalError', 500, 'unreachable'],
    ['TimeoutError', 0, 'unreachable'],
    ['Unknown', 301, 'wrong-address'],
    ['Unknown', 403, 'denied'],
    ['Unknown', 409, 'conflict'],
    ['Unknown', 412, 'precondition'],
    ['Unknown', 429, 'throttled'],
    ['Unknown', 500, 'unreachable'],
    ['Unknown', 502, 'unreachable'],
    ['Unknown', 503, 'throttled'],
    ['Unknown', 504, 'unreachable'],
    ['Unknown', 400, 'other'],
    ['Error', 404, 'other'],
  ])('with name %s and status %s is "%s"', (name, status, failure) => {
    expect(classifyS3Error(sdkError(name, status))).toBe(failure);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'])(
    'with the network code %s is "unreachable"',
    (code) => {
      expect(classifyS3Error(Object.assign(new Error(), { code, syscall: 'connect' }))).toBe('unreachable');
    },
  );

  it('is also read from the property "Code" of older protocols', () => {
    expect(classifyS3Error({ name: 'Error', Code: 'SlowDown' })).toBe('throttled');
  });

  it('is "other" for a value that is not an S3 error', () => {
    for (const error of [undefined, null, 'text', 42, {}, new TypeError('a bug')]) {
      expect([error, classifyS3Error(error)]).toEqual([error, 'other']);
    }
  });
});

it('recognizes an abort and counts the attempts of a request', () => {
  expect([isAbort({ name: 'AbortError' }), isAbort(new Error('other'))]).toEqual([true, false]);
  expect([attemptsOf({ $metadata: { attempts: 3 } }), attemptsOf(new Error('other'))]).toEqual([3, 1]);
});
