import { toInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { ResponseEvidence } from '../core/collection/day-values.js';
import { parseJsonDigits } from '../core/collection/decimal.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { NotFoundError, PersistentError, SourceError, StatusError, TooLargeError } from './source.js';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRIES = 5;
const TRIES = `${RETRIES + 1} times`;
/** A server that asks to wait longer is left alone until the next run. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const LIMITS: TransferLimits = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 5 * 60_000 };
const USER_AGENT = 'chain-reference-data (daily collection of public metrics)';

/** Reads JSON from one host. */
export type HttpClient = {
  /**
   * GETs a URL of the host. Every number of the value is a `JsonNumber`. Retries the network, timeouts, 429 and 5xx.
   * @throws SourceError, a PersistentError for what `findPassing` found; the reason of `signal` when it is aborted.
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
  /** Returns what a value says that may pass, such as the error of a node that is starting; it is then requested again. */
  readonly findPassing?: (value: unknown) => string | undefined;
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
  /** Most requests at the same time; any number by default. */
  readonly atOnce?: number;
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
  const { source, secretParameters = [], authorization, limits = LIMITS, tools = SYSTEM_TOOLS } = options;
  const { origin } = parseEndpoint(source, options.endpoint);
  const takeTurn = createPacer(options.pace, tools);
  const enter = createGate(options.atOnce ?? Infinity);
  const shared = { userAgent: USER_AGENT, limits, tools };
  let closedUntilMs = 0;

  async function request(url: URL, body: string | undefined, answer: AnswerOptions): Promise<JsonAnswer> {
    const { maxBytes, signal, findPassing } = answer;
    const described = publicUrl(url, secretParameters);
    const fail = (code: SourceError['code'], expected: string, got: string): never => {
      throw new SourceError(code, `${source}: ${described}: expected ${expected}, got ${got}.`);
    };
    const once: RequestOptions = {
      ...shared,
      url,
      maxBytes,
      ...(body !== undefined && { body }),
      ...(authorization !== undefined && { authorization }),
    };
    const failClosed = (got: string): never =>
      fail('unavailable', 'an answer', `${got}the demand to wait until ${toInstant(closedUntilMs)}`);
    for (let retries = 0; ; retries += 1) {
      if (tools.now() < closedUntilMs) return failClosed('');
      await takeTurn(signal);
      let attempt = await enter(() => requestOnce(once, signal));
      if (attempt.kind === 'answered') {
        const found = toAnswer(attempt.bytes, { source, url: described, nowMs: tools.now() });
        const got = findPassing?.(found.value);
        if (got === undefined) return found;
        if (retries === RETRIES) throw toPersistentError(`${source}: ${described}`, got);
        attempt = { kind: 'failed', got, retryAfterMs: 0 };
      }
      if (attempt.kind === 'refused') throw toRefusal(`${source}: ${described}`, maxBytes, attempt);
      if (retries === RETRIES) return fail('unavailable', 'an answer', `${attempt.got}, ${TRIES}`);
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
    return request(url, body, options);
  }

  return {
    getJson: (url, options) => readJson(url, undefined, options),
    postJson: readJson,
  };
}

const toPersistentError = (where: string, got: string): PersistentError =>
  new PersistentError('unavailable', `${where}: expected an answer, got ${got}, ${TRIES}.`);

function toRefusal(
  where: string,
  maxBytes: number,
  { status, got }: Extract<Attempt, { readonly kind: 'refused' }>,
): SourceError {
  const message = `${where}: expected JSON${got === MORE ? ` of at most ${maxBytes} bytes` : ''}, got ${got}.`;
  if (status === 404) return new NotFoundError(message);
  if (status !== undefined) return new StatusError(status, message);
  return got === MORE ? new TooLargeError(message) : new SourceError('shape', message);
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

/** The result of one request. */
type Attempt =
  | { readonly kind: 'answered'; readonly bytes: Uint8Array }
  /** A failure that may pass: the network, a timeout, 429 or 5xx. `got` describes it. */
  | { readonly kind: 'failed'; readonly got: string; readonly retryAfterMs: number }
  /** An answer that a retry would not change. */
  | { readonly kind: 'refused'; readonly got: string; readonly status?: number };

/** Options for `requestOnce`. */
type RequestOptions = {
  readonly url: URL;
  readonly userAgent: string;
  /** JSON text to POST. Without it, the request is a GET. */
  readonly body?: string;
  /** Value of the header `Authorization`. */
  readonly authorization?: string;
  /** Most bytes of the answer's body, decompressed. */
  readonly maxBytes: number;
  readonly limits: TransferLimits;
  readonly tools: HttpTools;
};

/** GETs a URL once, or POSTs to it, without following a redirect. @throws the reason of `signal` when it is aborted. */
export async function requestOnce(options: RequestOptions, signal: AbortSignal): Promise<Attempt> {
  const { url, body, limits, tools } = options;
  signal.throwIfAborted();
  const watch = watchTransfer(limits);
  try {
    const answer = await tools.fetch(url, {
      headers: headersOf(options),
      ...(body !== undefined && { method: 'POST', body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, watch.signal]),
    });
    watch.progress();
    if (answer.status === 200) return await readBody(answer, options.maxBytes, watch.progress);
    void answer.body?.cancel().catch(() => undefined);
    return judgeStatus(answer, url, tools.now());
  } catch (error) {
    signal.throwIfAborted();
    const got = watch.signal.aborted ? String(watch.signal.reason) : describeFailure(error);
    return { kind: 'failed', got, retryAfterMs: 0 };
  } finally {
    watch.stop();
  }
}

function headersOf({ userAgent, body, authorization }: RequestOptions): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  };
}

function judgeStatus({ status, headers }: Response, url: URL, nowMs: number): Attempt {
  const location = headers.get('location');
  if (status === 429 || status >= 500) {
    return {
      kind: 'failed',
      got: `status ${status}`,
      retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs),
    };
  }
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, url.href)) {
    const { origin, pathname } = new URL(location, url);
    return { kind: 'refused', got: `a redirect to ${origin}${pathname}, which is not followed` };
  }
  return { kind: 'refused', got: `status ${status}`, status };
}

/** What a request got that would have been too long. */
const MORE = 'more';

/** Reads a body piece by piece, so that a small compressed one cannot fill the memory. */
async function readBody(answer: Response, maxBytes: number, progress: () => void): Promise<Attempt> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    progress();
    size += chunk.length;
    if (size > maxBytes) return { kind: 'refused', got: MORE }; // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return { kind: 'answered', bytes: Buffer.concat(chunks) };
}

/** Names the cause that fetch hides behind `fetch failed`. The error may come from another realm. */
function describeFailure(error: unknown): string {
  const { message = String(error), cause } = error as {
    message?: string;
    cause?: { code?: string; message?: string };
  };
  return `no answer (${cause?.code ?? cause?.message ?? message})`;
}

/** The network, clock and chance of an HTTP client, so that tests need not wait. */
export type HttpTools = {
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves after `ms`. Rejects when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The real network, clock and chance. */
export const SYSTEM_TOOLS: HttpTools = {
  fetch: (input, init) => fetch(input, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** The most requests that start within any period of `perMs`. */
export type Pace = { readonly requests: number; readonly perMs: number };

/** Creates a function that resolves when the next request may start. Each call takes a turn. */
function createPacer(
  { requests, perMs }: Pace,
  { now, sleep }: Pick<HttpTools, 'now' | 'sleep'>,
): (signal: AbortSignal) => Promise<void> {
  const starts: number[] = []; // of the last requests
  return async (signal) => {
    const nowMs = now();
    const oldest = starts.length < requests ? undefined : starts.shift();
    const startMs = oldest === undefined ? nowMs : Math.max(nowMs, oldest + perMs);
    starts.push(startMs);
    if (startMs > nowMs) await sleep(startMs - nowMs, signal);
  };
}

/** Creates a function that runs at most so many requests at the same time, in the order of its calls. */
function createGate(atOnce: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (run) => {
    if (open === atOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
    else open += 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift(); // which takes the place over
      if (next === undefined) open -= 1;
      else next();
    }
  };
}

const BASE_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** Returns the wait before a retry: exponential backoff with full jitter. `retries` counts the earlier ones. */
function backoffMs(retries: number, random: () => number): number {
  return random() * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** retries);
}

/**
 * Returns how long a `Retry-After` header asks to wait, in milliseconds: a number of seconds, or an HTTP date with
 * a comma, as servers of today send it. Returns 0 for any other header. Source: RFC 9110 §10.2.3.
 */
function retryAfterMs(header: string | null, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}

/** Time limits of one request. */
export type TransferLimits = {
  /** From the request until the headers of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  /** From the request until the end of the body, however steadily it drips. */
  readonly totalMs: number;
};

/** Watches the time that a request takes. */
type TransferWatch = {
  /** Aborted when a limit has passed. Its reason is a sentence's end, such as `no answer within 30 seconds`. */
  readonly signal: AbortSignal;
  /** Reports that bytes have arrived. */
  readonly progress: () => void;
  readonly stop: () => void;
};

/** Starts to watch a request. The caller must stop the watch. */
function watchTransfer({ firstByteMs, idleMs, totalMs }: TransferLimits): TransferWatch {
  const controller = new AbortController();
  const expireAfter = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => controller.abort(`${what} ${ms / 1000} seconds`), ms);
  const whole = expireAfter(totalMs, 'no complete answer within');
  let stage = expireAfter(firstByteMs, 'no answer within');
  return {
    signal: controller.signal,
    progress() {
      clearTimeout(stage);
      stage = expireAfter(idleMs, 'no more bytes for');
    },
    stop() {
      clearTimeout(whole);
      clearTimeout(stage);
    },
  };
}
