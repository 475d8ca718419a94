import { S3Client, type ServiceInputTypes, type ServiceOutputTypes } from '@aws-sdk/client-s3';
import { AdaptiveRetryStrategy, DefaultRateLimiter } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { DeserializeMiddleware, MetadataBearer } from '@smithy/types';
import type { S3Address } from './s3-address.js';

/** Number of times that a request is sent before the store counts as unavailable. */
const MAX_ATTEMPTS = 10;
/** Longest pause between two of them. */
const MAX_DELAY_MS = 5_000;
/** However often a server asks for less, so many requests a second are sent: a publication comes to an end. */
const SLOWEST_RATE = 20;
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 15_000;
const SOCKETS = 128;

/** A client with keep-alive and bounded retries; credentials and region come from the standard chain. */
export function createS3Client({ endpoint, region, pathStyle }: S3Address): S3Client {
  const client = new S3Client({
    forcePathStyle: pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    retryStrategy: new AdaptiveRetryStrategy(MAX_ATTEMPTS, {
      rateLimiter: new DefaultRateLimiter({ minFillRate: SLOWEST_RATE, minCapacity: SLOWEST_RATE }),
      backoff: createBackoff(),
    }),
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS, keepAlive: true },
      httpsAgent: { maxSockets: SOCKETS, keepAlive: true },
    }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
  client.middlewareStack.add(noteAnswerTime, {
    step: 'deserialize',
    priority: 'low',
    name: 'noteAnswerTime',
  });
  return client;
}

type Noted = { answeredAtMs?: number };

/** Keeps the server's clock, which the SDK drops, beside the rest that it knows of an answer. */
const noteAnswerTime: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
  (next) => async (args) => {
    const result = await next(args);
    const date = (result.response as { headers?: Record<string, string> }).headers?.['date']; // an HTTP response
    const answeredAtMs = Date.parse(date ?? '');
    if (result.output && !Number.isNaN(answeredAtMs)) {
      Object.assign(result.output.$metadata, { answeredAtMs } satisfies Noted);
    }
    return result;
  };

/** When the server says that it answered, in milliseconds since the epoch; `undefined` when it does not say. */
export function readAnswerTimeMs({ $metadata }: MetadataBearer): number | undefined {
  return ($metadata as Noted).answeredAtMs; // set above
}

type Backoff = { setDelayBase: (ms: number) => void; computeNextBackoffDelay: (attempt: number) => number };

/** Exponential with full jitter, as the SDK's own, but with our bound. */
function createBackoff(): Backoff {
  let baseMs = 100;
  return {
    setDelayBase(ms) {
      baseMs = ms;
    },
    computeNextBackoffDelay: (attempt) => Math.random() * Math.min(MAX_DELAY_MS, baseMs * 2 ** attempt),
  };
}
