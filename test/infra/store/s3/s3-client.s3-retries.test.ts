import type { RetryErrorInfo, RetryErrorType } from '@smithy/types';
import { createRetryStrategy, MAX_ATTEMPTS, RETRY_PERIOD_MS } from '../../../../infra/store/s3/s3-client.js';

/** Returns a failure of a request as the SDK reports it. `name` is S3's code. */
function failureOf(errorType: RetryErrorType, name: string): RetryErrorInfo {
  return { errorType, error: { name, message: name } };
}

/** Sends a request that always fails, and returns the number of attempts. */
async function countAttempts(failure: RetryErrorInfo, retryPeriodMs = RETRY_PERIOD_MS): Promise<number> {
  const strategy = createRetryStrategy(retryPeriodMs);
  let token = await strategy.acquireInitialRetryToken('');
  for (let attempts = 1; ; attempts += 1) {
    const next = await strategy.refreshRetryTokenForRetry(token, failure).catch(() => undefined);
    if (next === undefined) return attempts;
    token = next;
  }
}

const DOWN = failureOf('TRANSIENT', 'InternalError');

describe('a failed request', () => {
  const { random: realRandom } = Math;
  let random = 0;
  beforeEach(() => {
    random = 0; // no backoff
    Math.random = () => random;
  });
  afterEach(() => {
    Math.random = realRandom;
  });

  it.each([
    ['the server is unavailable', DOWN],
    ['the server limits the rate', failureOf('THROTTLING', 'SlowDown')],
    ['another write to the key is in progress', failureOf('CLIENT_ERROR', 'ConditionalRequestConflict')],
  ])('is sent ten times when %s', async (_name, failure) => {
    expect(MAX_ATTEMPTS).toBe(10);
    expect(await countAttempts(failure)).toBe(MAX_ATTEMPTS);
  });

  it.each(['AccessDenied', 'SomethingNew'])('is sent once when a retry cannot help: %s', async (name) => {
    expect(await countAttempts(failureOf('CLIENT_ERROR', name))).toBe(1);
  });

  it.each(['NoSuchKey', 'PreconditionFailed', 'NoSuchBucket', 'BadDigest'])(
    'is sent once when the answer is final, even if the clock skew makes the SDK call it transient: %s',
    async (name) => {
      expect(await countAttempts(failureOf('TRANSIENT', name))).toBe(1);
    },
  );

  it('is not sent again when the backoff would end after the period for retries', async () => {
    random = 1; // the longest backoff: 100 ms, then 200 ms
    expect(await countAttempts(DOWN, 50)).toBe(1);
    expect(await countAttempts(DOWN, 200)).toBe(2);
  });

  it('is not sent again when the run is interrupted during the backoff', async () => {
    random = 1;
    const interruption = new AbortController();
    const strategy = createRetryStrategy(RETRY_PERIOD_MS, interruption.signal);
    const retrying = strategy.refreshRetryTokenForRetry(await strategy.acquireInitialRetryToken(''), DOWN);
    interruption.abort();
    await expect(retrying).rejects.toThrow(/abort/);
  });
});
