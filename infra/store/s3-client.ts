import { setMaxListeners } from 'node:events';
import { S3Client, type ServiceInputTypes, type ServiceOutputTypes } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { BuildMiddleware, DeserializeMiddleware, MetadataBearer } from '@smithy/types';
import type { S3Address } from './s3-address.js';
import { createRetries, LAST_TRY_MS, MAX_ATTEMPTS } from './s3-retries.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Longest silence of a server, also within an answer. */
const SILENCE_TIMEOUT_MS = 5_000;
/** Longest wait for the beginning of an answer, however long the request takes to send. */
const REQUEST_TIMEOUT_MS = 15_000;
const SOCKETS = 128;
/** Steps of the SDK that do nothing for us, but take time in every request: no logger, no bucket of another form, no Lambda, no long name. */
const UNUSED = [
  'loggerMiddleware',
  'validateBucketNameMiddleware',
  'regionRedirectMiddleware',
  'addExpectContinueMiddleware',
  'recursionDetectionMiddleware',
  'getUserAgentMiddleware',
];
/** How an access log names the program. */
const USER_AGENT = 'chain-reference-data';

/** Bounds of a client: aborting `signal` breaks off every request, and each is repeated for `patienceMs` at most. */
export type ClientTerms = { readonly signal?: AbortSignal; readonly patienceMs?: number };

/**
 * A client with keep-alive and bounded retries; credentials and region come from the standard chain. No request may be
 * given options of its own, for that makes it slow.
 */
export function createS3Client(
  { endpoint, region, pathStyle }: S3Address,
  { signal, patienceMs = LAST_TRY_MS }: ClientTerms = {},
): S3Client {
  const client = new S3Client({
    forcePathStyle: pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: createRetries(patienceMs, signal),
    requestHandler: createRequestHandler(signal),
    cacheMiddleware: true, // a quarter of the time of a small write
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
  for (const name of UNUSED) client.middlewareStack.remove(name);
  keepSigner(client);
  layOutForReading(client.config);
  client.middlewareStack.add(addHeaders, { step: 'build', name: 'addHeaders' });
  client.middlewareStack.add(noteAnswerTime, {
    step: 'deserialize',
    priority: 'low',
    name: 'noteAnswerTime',
  });
  return client;
}

function createRequestHandler(signal: AbortSignal | undefined): NodeHttpHandler {
  const handler = new NodeHttpHandler({
    connectionTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: SOCKETS, keepAlive: true },
    httpsAgent: { maxSockets: SOCKETS, keepAlive: true },
  });
  if (signal === undefined) return handler;
  setMaxListeners(0, signal); // every request listens to it, and every pause
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) => handle(request, { ...options, abortSignal: signal });
  return handler;
}

/** The SDK makes a signer for every request; all of ours go to one bucket, and a signer asks for the credentials itself. */
function keepSigner({ config }: S3Client): void {
  const createSigner = config.signer;
  let signer: ReturnType<typeof createSigner> | undefined;
  config.signer = (scheme) => (signer ??= createSigner(scheme));
}

/**
 * Lets V8 lay settings out for fast reading, as it does with a prototype that is read through: the SDK copies them with
 * every request, which then takes a seventh of the time. Nothing else changes.
 */
function layOutForReading(settings: S3Client['config']): void {
  const reader = Object.create(settings) as S3Client['config']; // inherits all of it
  for (let reads = 0; reads < 100 && typeof reader.region === 'function';) reads += 1;
}

/** The signature covers the SHA-256 of the body: that of the checksum, which is known, need not be computed again. */
const addHeaders: BuildMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => (args) => {
  const { headers } = args.request as { headers: Record<string, string> }; // an HTTP request
  headers['user-agent'] = USER_AGENT;
  const checksum = headers['x-amz-checksum-sha256'];
  if (checksum !== undefined) {
    headers['x-amz-content-sha256'] = Buffer.from(checksum, 'base64').toString('hex');
  }
  return next(args);
};

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
