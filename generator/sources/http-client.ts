import { toInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { ResponseEvidence } from '../core/collection/values/collected-day.js';
import { parseJsonDigits } from '../core/collection/values/json-digits.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { SYSTEM_TOOLS, type HttpTools } from './http/http-tools.js';
import { NotFoundError } from './http/not-found-error.js';
import { createPacer, type Pace } from './http/pace.js';
import { requestOnce, type RequestOptions } from './http/request-once.js';
import { backoffMs } from './http/retry-delay.js';
import type { TransferLimits } from './http/transfer-watch.js';
import { SourceError } from './source.js';

const RETRIES = 5;
/** A server that asks to wait longer is left alone until the next run. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const LIMITS: TransferLimits = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 5 * 60_000 };
const USER_AGENT = 'chain-reference-data (daily collection of public metrics)';

/** Reads JSON from one host. */
export type HttpClient = {
  /**
   * GETs a URL of the host. Every number of the value is a `JsonNumber`. Retries the network, timeouts, 429 and 5xx.
   * @throws SourceError; the reason of `signal` when it is aborted.
   */
  readonly getJson: (url: string, options: AnswerOptions) => Promise<JsonAnswer>;
  /**
   * POSTs JSON text to a URL of the host, and reads the answer as `getJson` does. The request must change nothing, because
   * it is sent again after a failure.
   */
  readonly postJson: (url: string, body: string, options: AnswerOptions) => Promise<JsonAnswer>;
};

/** Options for a request. */
type AnswerOptions = {
  /** Most bytes of the answer's body, decompressed. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** A parsed answer, and the evidence of its bytes after decompression. */
export type JsonAnswer = {
  readonly value: unknown;
  readonly response: ResponseEvidence['responses'][number];
};

/** Options for `createHttpClient`. */
export type HttpClientOptions = {
  /** Id of the source, for messages. */
  readonly source: string;
  /** Address of the service; https, or http on loopback. */
  readonly endpoint: string;
  readonly pace: Pace;
  /** Query parameters that are secret: neither errors nor evidence show them. */
  readonly secretParameters?: readonly string[];
  /** Value of the header `Authorization` of all requests. */
  readonly authorization?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/**
 * Creates a client for one host. It keeps the pace of the host over all of its requests, and follows no redirect.
 * @throws GeneratorError 'usage' for an endpoint that is not https.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { source, pace, secretParameters = [], authorization } = options;
  const { limits = LIMITS, tools = SYSTEM_TOOLS } = options;
  const { origin } = parseEndpoint(source, options.endpoint);
  const takeTurn = createPacer(pace, tools);
  let closedUntilMs = 0;

  async function request(url: URL, body: string | undefined, answer: AnswerOptions): Promise<Uint8Array> {
    const { maxBytes, signal } = answer;
    const described = publicUrl(url, secretParameters);
    const fail = (code: SourceError['code'], expected: string, got: string): never => {
      throw new SourceError(code, `${source}: ${described}: expected ${expected}, got ${got}.`);
    };
    const once: RequestOptions = {
      ...{ url, userAgent: USER_AGENT, maxBytes, limits, tools },
      ...(body !== undefined && { body }),
      ...(authorization !== undefined && { authorization }),
    };
    const failClosed = (got: string): never =>
      fail('unavailable', 'an answer', `${got}the demand to wait until ${toInstant(closedUntilMs)}`);
    for (let retries = 0; ; retries += 1) {
      if (tools.now() < closedUntilMs) return failClosed('');
      await takeTurn(signal);
      signal.throwIfAborted();
      const attempt = await requestOnce(once, signal);
      if (attempt.kind === 'answered') return attempt.bytes;
      if (attempt.kind === 'refused') {
        if (attempt.status === 404)
          throw new NotFoundError(`${source}: ${described}: expected JSON, got status 404.`);
        return fail('shape', `JSON of at most ${maxBytes} bytes`, attempt.got);
      }
      if (retries === RETRIES)
        return fail('unavailable', 'an answer', `${attempt.got}, ${RETRIES + 1} times`);
      if (attempt.retryAfterMs > MAX_RETRY_AFTER_MS) {
        closedUntilMs = tools.now() + attempt.retryAfterMs;
        return failClosed(`${attempt.got} and `);
      }
      await tools.sleep(Math.max(attempt.retryAfterMs, backoffMs(retries, tools.random)), signal);
    }
  }

  async function readJson(
    text: string,
    body: string | undefined,
    options: AnswerOptions,
  ): Promise<JsonAnswer> {
    options.signal.throwIfAborted();
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.origin !== origin) {
      const got = url === undefined ? 'text that is not a URL' : `one on ${url.origin}`;
      throw new SourceError('shape', `${source}: expected a URL on ${origin}, got ${got}.`);
    }
    const bytes = await request(url, body, options);
    return toAnswer(bytes, { source, url: publicUrl(url, secretParameters), nowMs: tools.now() });
  }

  return {
    getJson: (url, options) => readJson(url, undefined, options),
    postJson: readJson,
  };
}

function toAnswer(
  bytes: Uint8Array,
  { source, url, nowMs }: { readonly source: string; readonly url: string; readonly nowMs: number },
): JsonAnswer {
  return {
    value: parseBody(bytes, `${source}: ${url}`),
    response: { url, sha256: sha256Hex(bytes), bytes: bytes.length, fetched_at: toInstant(nowMs) },
  };
}

/** Returns the address of a service, without a slash at its end. @throws GeneratorError 'usage' */
export function parseEndpoint(
  source: string,
  endpoint: string,
): { origin: string; base: string; hostname: string } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !isSafe(url) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new GeneratorError(
      'usage',
      `${source}: the endpoint must be an https URL without user, query and fragment. Fix it in the policy.`,
      { next: RUN_AGAIN },
    );
  }
  const { origin, pathname, hostname } = url;
  return { origin, base: `${origin}${pathname.replace(/\/+$/, '')}`, hostname: hostname.replace(/\.$/, '') };
}

/** Returns whether nobody can listen to requests to an address: https, or http on loopback. */
export function isSafe({ protocol, hostname }: URL): boolean {
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

function publicUrl(url: URL, secretParameters: readonly string[]): string {
  const shown = new URL(url);
  for (const name of secretParameters) shown.searchParams.delete(name);
  shown.username = shown.password = '';
  return shown.href;
}

function parseBody(bytes: Uint8Array, where: string): unknown {
  try {
    return parseJsonDigits(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = (error as Error).message.replace(/\p{C}/gu, '?').slice(0, 160); // JSON.parse and TextDecoder throw errors
    throw new SourceError('shape', `${where}: expected JSON, got other text: ${reason}.`, { cause: error });
  }
}
