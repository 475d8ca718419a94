import { setMaxListeners } from 'node:events';
import {
  S3Client,
  type S3ClientConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import type { HttpHandler } from '@smithy/core/protocols';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import type {
  DeserializeMiddleware,
  MetadataBearer,
  RetryErrorInfo,
  RetryStrategyV2,
  RetryToken,
} from '@smithy/types';
import type { S3Address } from '../../../schemas/store-address.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultRateLimiter } from '@smithy/core/retry';
import { classifyS3Error, type S3Failure } from './s3-errors.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Longest time without traffic on a connection, also within a response. */
const IDLE_TIMEOUT_MS = 5_000;
/** Longest time from the creation of a request, including a wait for a connection and sending it, to its response's headers. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Maximum number of connections. */
const SOCKETS = 128;
/** Name of the program in access logs. */
const USER_AGENT = 'chain-reference-data';

/** A signer that signs nothing, and credentials that it does not use, so that the SDK does not look for any. */
const ANONYMOUS: Pick<S3ClientConfig, 'credentials' | 'signer'> = {
  credentials: { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' },
  signer: { sign: (request) => Promise.resolve(request) },
};

/** Options for `createS3Client`. Aborting `signal` cancels all requests; each is retried for at most `retryPeriodMs`. */
export type ClientOptions = {
  readonly signal?: AbortSignal;
  readonly retryPeriodMs?: number;
  /** Replaces the credentials of the AWS default credential provider chain. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>;
  /** True for a public bucket: requests are not signed, and no credentials are looked for. */
  readonly isAnonymous?: boolean;
  /** Receives the `Date` of every response, including refusals. */
  readonly noteDate?: (date: string | undefined) => void;
};

/**
 * Creates a client with keep-alive and bounded retries. By default, credentials come from the AWS default credential
 * provider chain, and the region from the AWS configuration.
 */
export function createS3Client(
  { endpoint, region, pathStyle, profile }: S3Address,
  { signal, retryPeriodMs = RETRY_PERIOD_MS, credentials, isAnonymous = false, noteDate }: ClientOptions = {},
): S3Client {
  const client = new S3Client({
    forcePathStyle: pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // objects are small: asking first costs a round trip
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: createRetryStrategy(retryPeriodMs, signal),
    requestHandler: createRequestHandler(signal, noteDate),
    cacheMiddleware: true, // without it, a small write takes a quarter more processor time
    customUserAgent: USER_AGENT,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(isAnonymous ? ANONYMOUS : {}),
  });
  client.middlewareStack.add(noteResponseTime, {
    step: 'deserialize',
    priority: 'high', // outside of the SDK's own, which makes the output
    name: 'noteResponseTime',
  });
  return client;
}

function createRequestHandler(
  signal: AbortSignal | undefined,
  noteDate: ClientOptions['noteDate'],
): HttpHandler<NodeHttpHandlerOptions> {
  const handler = new NodeHttpHandler({
    connectionTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: SOCKETS, keepAlive: true },
    httpsAgent: { maxSockets: SOCKETS, keepAlive: true },
  });
  if (signal === undefined && noteDate === undefined) return handler;
  if (signal !== undefined) setMaxListeners(0, signal); // every request and every retry delay listens to it
  // The signal is added here because options for a single `send` would disable `cacheMiddleware`.
  return {
    metadata: handler.metadata,
    async handle(request, options) {
      const result = await handler.handle(request, signal ? { ...options, abortSignal: signal } : options);
      noteDate?.(result.response.headers['date']);
      return result;
    },
    destroy: () => handler.destroy(),
    updateHttpClientConfig: (key, value) => handler.updateHttpClientConfig(key, value),
    httpHandlerConfigs: () => handler.httpHandlerConfigs(),
  };
}

type ResponseTime = { answeredAtMs?: number };

/** Adds the time of the server's clock to the output's metadata; the SDK does not keep it. */
const noteResponseTime: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
  (next) => async (args) => {
    const result = await next(args);
    const date = (result.response as { headers?: Record<string, string> }).headers?.['date']; // an HTTP response
    const answeredAtMs = Date.parse(date ?? '');
    if (result.output && !Number.isNaN(answeredAtMs)) {
      Object.assign(result.output.$metadata, { answeredAtMs } satisfies ResponseTime);
    }
    return result;
  };

/** Returns the server's time of a response in milliseconds since the epoch, or `undefined` if it did not send one. */
export function readResponseTimeMs({ $metadata }: MetadataBearer): number | undefined {
  return ($metadata as ResponseTime).answeredAtMs; // set above
}

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
