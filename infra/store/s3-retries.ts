import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultRateLimiter } from '@smithy/core/retry';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';
import { classifyS3Error, type S3Failure } from './s3-errors.js';

/** Number of times that a request is sent before the store counts as unavailable. */
export const MAX_ATTEMPTS = 10;
/** How long after the first try another one may begin. With the client's timeout: a request ends within a minute. */
export const LAST_TRY_MS = 45_000;

const PAUSE_MS = 100;
const THROTTLED_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** However often a server asks for less, so many requests a second are sent: a publication comes to an end. */
const SLOWEST_RATE = 50;

/** Failures that another try would only meet again. */
const ANSWERS: readonly S3Failure[] = ['missing', 'precondition', 'address', 'damaged'];

/** A try: the how-many-th it is, and when the first one was made. */
type Try = RetryToken & { readonly startedMs: number };

/**
 * The SDK's adaptive mode with bounds of ours: the rate follows what the server asks for, and each request has a number
 * of tries and a time of its own. (The SDK's quota is shared by all requests: where a third of them fails, a long
 * publication uses it up, and then the next failure is final.) A write that S3 could not decide, because another was
 * under way, is sent again too. No try begins later than `patienceMs` after the first; aborting `signal` ends a pause.
 */
export function createRetries(patienceMs: number, signal?: AbortSignal): RetryStrategyV2 {
  const rate = new DefaultRateLimiter({ minFillRate: SLOWEST_RATE, minCapacity: SLOWEST_RATE });
  return {
    async acquireInitialRetryToken() {
      await rate.getSendToken();
      return createTry(0, performance.now());
    },
    async refreshRetryTokenForRetry(token, failed) {
      const { startedMs } = token as Try; // made here
      const count = token.getRetryCount() + 1;
      rate.updateClientSendingRate(failed);
      const pauseMs = toPauseMs(count, failed);
      const isLate = performance.now() - startedMs + pauseMs > patienceMs;
      if (!isWorthAnother(failed) || count >= MAX_ATTEMPTS || isLate)
        throw new Error('this was the last try');
      await sleep(pauseMs, undefined, signal && { signal });
      await rate.getSendToken();
      return createTry(count, startedMs);
    },
    recordSuccess() {
      rate.updateClientSendingRate({});
    },
  };
}

function createTry(count: number, startedMs: number): Try {
  return { startedMs, getRetryCount: () => count, getRetryDelay: () => 0 };
}

function isWorthAnother({ errorType, error }: RetryErrorInfo): boolean {
  const failure = classifyS3Error(error);
  // Where the clocks differ by minutes, the SDK takes each failure for one of the clock, also one that is an answer.
  if (ANSWERS.includes(failure)) return false;
  return errorType === 'TRANSIENT' || errorType === 'THROTTLING' || failure === 'race';
}

/** Exponential with full jitter. */
function toPauseMs(count: number, { errorType }: RetryErrorInfo): number {
  const baseMs = errorType === 'THROTTLING' ? THROTTLED_PAUSE_MS : PAUSE_MS;
  return Math.random() * Math.min(LONGEST_PAUSE_MS, baseMs * 2 ** (count - 1));
}
