import { AthenaClient, type AthenaClientConfig } from '@aws-sdk/client-athena';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';
import { parseEngineEndpoint } from './engine-endpoint.js';
import { backoffMs, type EngineTools } from './engine-tools.js';
import { EngineError } from './engine.js';

const RETRIES = 8;
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** The service and the identity of its user. */
export type AthenaAccess = {
  readonly region: string;
  /** Another address of the service; https, or http on loopback. */
  readonly endpoint?: string;
  /** Replaces the credentials of the AWS default credential provider chain. */
  readonly credentials?: NonNullable<AthenaClientConfig['credentials']>;
};

/** Creates a client whose retries end when `signal` is aborted. @throws GeneratorError 'usage' for an unsafe endpoint */
export function createAthenaClient(
  { region, endpoint, credentials }: AthenaAccess,
  tools: EngineTools,
  signal: AbortSignal,
): AthenaClient {
  return new AthenaClient({
    region,
    customUserAgent: 'chain-reference-data',
    maxAttempts: RETRIES + 1,
    retryStrategy: createRetryStrategy(tools, signal),
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    }),
    ...(endpoint === undefined ? {} : { endpoint: parseEngineEndpoint('Athena', endpoint).base }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** Sends a request. @throws EngineError 'failed' for every failure, or the reason of `signal` */
export async function sendTo<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call;
  } catch (error) {
    signal.throwIfAborted();
    const { name = 'Error', message = '' } = error as Partial<Error>; // errors of the SDK are errors
    const line = message.replace(/\p{C}+/gu, ' ').slice(0, 400);
    throw new EngineError('failed', `Athena: ${name}: ${line}`, { cause: error });
  }
}

/** Retries each request by itself: the SDK's own strategies share a quota, and their delays ignore a signal. */
function createRetryStrategy(tools: EngineTools, signal: AbortSignal): RetryStrategyV2 {
  const attempt = (count: number): RetryToken => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
  return {
    acquireInitialRetryToken: () => Promise.resolve(attempt(0)),
    async refreshRetryTokenForRetry(token, failed) {
      const retries = token.getRetryCount();
      if (retries === RETRIES || !isTransient(failed)) throw new Error('no attempts left');
      const askedMs = failed.retryAfterHint === undefined ? 0 : failed.retryAfterHint.getTime() - Date.now();
      await tools.sleep(Math.max(askedMs, backoffMs(retries, tools)), signal);
      return attempt(retries + 1);
    },
    recordSuccess: () => undefined,
  };
}

function isTransient({ errorType, error }: RetryErrorInfo): boolean {
  const { name } = (error ?? {}) as Partial<Error>;
  return errorType !== 'CLIENT_ERROR' || name === 'TooManyRequestsException';
}
