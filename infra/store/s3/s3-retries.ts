import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultRateLimiter } from '@smithy/core/retry';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';
import { classifyS3Error, type S3Failure } from './s3-errors.js';

/** Number of times that a request is sent before the store counts as unavailable. */
export const MAX_ATTEMPTS = 10;
/** Time after the first attempt in which the delay before a retry must end. Without throttling, a request ends within a minute. */
export const RETRY_PERIOD_MS = 45_000;

const DELAY_MS = 100;
const THROTTLED_DELAY_MS = 500;
const MAX_DELAY_MS = 5_000;
/** Lower bound of requests per second, however often a server throttles, so that a publication finishes. */
const MIN_RATE = 50;

/** Failures that are final: those that a retry would repeat, and damaged bytes, so that a faulty machine is noticed. */
const FINAL: readonly S3Failure[] = ['missing', 'precondition', 'wrong-address', 'damaged'];

type Attempt = RetryToken & { readonly startedMs: number };

/**
 * Creates a retry strategy like the SDK's adaptive mode, but with a maximum of attempts and a time limit for each request.
 * The SDK's own strategies share one retry quota among all requests: when a third of a publication's requests failed, it
 * ran out, and the next failure was not retried. A write that S3 rejects because of a concurrent write (409) is retried
 * too. No delay ends later than `retryPeriodMs` after the first attempt, but the client's rate limit can postpone the
 * attempt further. Aborting `signal` ends a delay.
 */
export function createRetryStrategy(retryPeriodMs: number, signal?: AbortSignal): RetryStrategyV2 {
  const rate = new DefaultRateLimiter({ minFillRate: MIN_RATE, minCapacity: MIN_RATE });
  return {
    async acquireInitialRetryToken() {
      await rate.getSendToken();
      return createAttempt(0, performance.now());
    },
    async refreshRetryTokenForRetry(token, failed) {
      const { startedMs } = token as Attempt; // created here
      const count = token.getRetryCount() + 1;
      rate.updateClientSendingRate(failed);
      const delayMs = toDelayMs(count, failed);
      const isLate = performance.now() - startedMs + delayMs > retryPeriodMs;
      if (!isRetryable(failed) || count >= MAX_ATTEMPTS || isLate) throw new Error('no attempts left');
      await sleep(delayMs, undefined, signal && { signal });
      await rate.getSendToken();
      return createAttempt(count, startedMs);
    },
    recordSuccess() {
      rate.updateClientSendingRate({});
    },
  };
}

function createAttempt(count: number, startedMs: number): Attempt {
  return { startedMs, getRetryCount: () => count, getRetryDelay: () => 0 };
}

function isRetryable({ errorType, error }: RetryErrorInfo): boolean {
  const failure = classifyS3Error(error);
  // With minutes of clock skew, the SDK considers every failure a skew error, even a final one.
  if (FINAL.includes(failure)) return false;
  return errorType === 'TRANSIENT' || errorType === 'THROTTLING' || failure === 'conflict';
}

/** Exponential backoff with full jitter. */
function toDelayMs(count: number, { errorType }: RetryErrorInfo): number {
  const baseMs = errorType === 'THROTTLING' ? THROTTLED_DELAY_MS : DELAY_MS;
  return Math.random() * Math.min(MAX_DELAY_MS, baseMs * 2 ** (count - 1));
}
