import type { TextRow } from '../core/collection/query-day.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import {
  backoffMs,
  type Engine,
  EngineError,
  type EngineTools,
  notText,
  parseEngineEndpoint,
  pollMs,
  SYSTEM_TOOLS,
  toFailure,
} from './engine.js';

const TIME_LIMIT_MS = 60 * 60_000;
const PROGRAM = 'chain-reference-data';

/** Options for `createTrinoEngine`. */
export type TrinoOptions = {
  /** Address of the coordinator; https, or http on loopback. */
  readonly endpoint: string;
  /** Name that the server sees. */
  readonly user?: string;
  /** Catalog and schema of the tables (`schemas/sql/tables/trino`). */
  readonly catalog: string;
  readonly schema: string;
  /** Secret value of the header `Authorization`, such as `Bearer …`. */
  readonly authorization?: string;
  /** Longest time of a query. Default: an hour. */
  readonly timeLimitMs?: number;
  readonly tools?: EngineTools;
};

/**
 * Creates an engine that sends queries to a Trino server, which has the tables. Aborting `signal` ends the creation.
 * @throws EngineError 'failed' if the server does not answer; GeneratorError 'usage' for an option that is invalid
 */
export async function createTrinoEngine(options: TrinoOptions, signal: AbortSignal): Promise<Engine> {
  const { endpoint, timeLimitMs = TIME_LIMIT_MS, tools = SYSTEM_TOOLS } = options;
  const { origin, base } = parseEngineEndpoint('Trino', endpoint);
  const http = createTrinoHttp({ headers: toHeaders(options), tools });
  const version = parseVersion(await http.request(new URL(`${base}/v1/info`), signal));
  return {
    name: `trino ${version}`,
    ownTables: true,
    run: async ({ sql }, aborted) => {
      const limit = AbortSignal.timeout(timeLimitMs);
      const started = { sql, origin, url: new URL(`${base}/v1/statement`), http, tools };
      try {
        return await runStatement(started, AbortSignal.any([aborted, limit]));
      } catch (error) {
        aborted.throwIfAborted();
        if (!limit.aborted) throw error;
        throw new EngineError('failed', `Trino: no result within ${timeLimitMs / 1000} seconds.`);
      }
    },
  };
}

type Statement = {
  readonly sql: string;
  readonly origin: string;
  readonly url: URL;
  readonly http: TrinoHttp;
  readonly tools: EngineTools;
};

/** Starts a query and follows its pages to the last. If that fails, the query is cancelled. */
async function runStatement(
  { sql, origin, url, http, tools }: Statement,
  signal: AbortSignal,
): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  let columns: readonly string[] | undefined;
  let next: URL | undefined;
  try {
    let page = parsePage(await http.request(url, signal, sql), origin);
    for (let polls = 0; ; polls += 1) {
      ({ next } = page);
      columns = page.columns ?? columns;
      if (page.data.length > 0) polls = 0;
      for (const row of toTextRows(page, columns ?? [])) rows.push(row);
      if (next === undefined) {
        if (columns !== undefined) return rows;
        throw new EngineError('failed', 'Trino: the result has no columns.');
      }
      if (page.data.length === 0) await tools.sleep(pollMs(polls), signal);
      page = parsePage(await http.request(next, signal), origin);
    }
  } catch (error) {
    if (next !== undefined) await http.cancel(next);
    throw error;
  }
}

function toHeaders({ user = PROGRAM, catalog, schema, authorization }: TrinoOptions): Record<string, string> {
  for (const [name, value] of Object.entries({ user, catalog, schema, authorization })) {
    if (value === undefined || /^[!-~]+( [!-~]+)*$/.test(value)) continue;
    throw new GeneratorError('usage', `Trino: ${name} must be visible ASCII characters. Fix it.`, {
      next: RUN_AGAIN,
    });
  }
  return {
    'User-Agent': PROGRAM,
    'X-Trino-User': user,
    'X-Trino-Source': PROGRAM,
    'X-Trino-Catalog': catalog,
    'X-Trino-Schema': schema,
    'X-Trino-Time-Zone': 'UTC',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
}

function parseVersion(info: unknown): string {
  const { nodeVersion } = (info ?? {}) as { nodeVersion?: { version?: unknown } };
  const version = nodeVersion?.version;
  if (typeof version === 'string' && /^[\w.+-]{1,60}$/.test(version)) return version;
  throw new EngineError('failed', 'Trino: the server does not say its version. Check the endpoint.');
}

const RETRIES = 8;
/** A server answers within about a second, also when the query is still running. */
const REQUEST_MS = 60_000;
const CANCEL_MS = 2_000;
/** A server that asks to wait longer is left alone until the next run. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const MAX_BYTES = 128 * 2 ** 20;

/** Options for `createTrinoHttp`. */
type TrinoHttpOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly tools: EngineTools;
};

/** Sends requests to a coordinator. It follows no redirect. */
type TrinoHttp = {
  /**
   * Returns the JSON of an answer; with a body it POSTs. Retries the network, timeouts, 429 and 5xx.
   * @throws EngineError, or the reason of `signal`
   */
  readonly request: (url: URL, signal: AbortSignal, body?: string) => Promise<unknown>;
  /** Ends a query, if that is possible soon. */
  readonly cancel: (url: URL) => Promise<void>;
};

type Attempt =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'failed'; readonly got: string; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly got: string };

export function createTrinoHttp({ headers, tools }: TrinoHttpOptions): TrinoHttp {
  return {
    async request(url, signal, body) {
      const init: RequestInit = body === undefined ? { headers } : { headers, method: 'POST', body };
      for (let retries = 0; ; retries += 1) {
        signal.throwIfAborted();
        const attempt = await requestOnce(url, init, signal);
        if (attempt.kind === 'answered') return parseAnswer(attempt.text, url);
        const isLast = retries === RETRIES || attempt.kind === 'refused';
        if (isLast || attempt.retryAfterMs > MAX_RETRY_AFTER_MS) throw unanswered(url, attempt, retries);
        await tools.sleep(Math.max(attempt.retryAfterMs, backoffMs(retries, tools)), signal);
      }
    },
    async cancel(url) {
      const signal = AbortSignal.timeout(CANCEL_MS);
      const init: RequestInit = { headers, method: 'DELETE', redirect: 'manual', signal };
      await fetch(url, init).then(discard, () => undefined); // the server ends an abandoned query itself after minutes
    },
  };
}

async function requestOnce(url: URL, init: RequestInit, signal: AbortSignal): Promise<Attempt> {
  const limit = AbortSignal.timeout(REQUEST_MS);
  try {
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    });
    const { status } = answer;
    if (status === 200) return await readText(answer);
    discard(answer);
    const got = `status ${status}`;
    if (status !== 429 && status < 500) return { kind: 'refused', got };
    const seconds = Number(/^\s*(\d+)\s*$/.exec(answer.headers.get('retry-after') ?? '')?.[1] ?? 0);
    return { kind: 'failed', got, retryAfterMs: seconds * 1000 };
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as { message?: string; cause?: { code?: string } }; // an error of fetch
    const got = limit.aborted
      ? `no answer within ${REQUEST_MS / 1000} seconds`
      : (cause?.code ?? String(message));
    return { kind: 'failed', got, retryAfterMs: 0 };
  }
}

/** Reads a body piece by piece, so that a small compressed one cannot fill the memory. */
async function readText(answer: Response): Promise<Attempt> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) return { kind: 'refused', got: `more than ${MAX_BYTES} bytes` }; // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return { kind: 'answered', text: Buffer.concat(chunks).toString('utf8') };
}

function discard({ body }: Response): void {
  void body?.cancel().catch(() => undefined);
}

function parseAnswer(text: string, url: URL): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError('failed', `Trino: ${describe(url)}: expected JSON, got other text.`, { cause });
  }
}

function unanswered(url: URL, attempt: Exclude<Attempt, { kind: 'answered' }>, retries: number): EngineError {
  const times = retries === 0 ? '' : `, ${retries + 1} times`;
  return new EngineError(
    'failed',
    `Trino: ${describe(url)}: expected an answer, got ${attempt.got}${times}.`,
  );
}

/** Returns an address without the secret token that is in the paths of a query. */
function describe({ origin, pathname }: URL): string {
  return `${origin}${pathname.split('/').slice(0, 5).join('/')}`;
}

/** One answer of the protocol. */
type TrinoPage = {
  /** Names of the columns, once they are known. */
  readonly columns: readonly string[] | undefined;
  readonly data: readonly (readonly unknown[])[];
  /** Address of the next answer; absent in the last. */
  readonly next: URL | undefined;
};

/** An answer as the documentation of the protocol describes it. */
type Answer = {
  readonly nextUri?: unknown;
  readonly columns?: unknown;
  readonly data?: unknown;
  readonly stats?: { readonly state?: unknown };
  readonly error?: { readonly errorName?: unknown; readonly message?: unknown };
};

/** Reads an answer of the server at `origin`. @throws EngineError if it is another, or the query failed. */
export function parsePage(value: unknown, origin: string): TrinoPage {
  if (typeof value !== 'object' || value === null) throw otherForm('expected an object');
  const answer: Answer = value;
  if (answer.error !== undefined || answer.stats?.state === 'FAILED') throw failureOf(answer.error);
  return {
    columns: answer.columns === undefined ? undefined : toArray('columns', answer.columns).map(nameOf),
    data: toArray('data', answer.data ?? []).map((row) => toArray('a row', row)),
    next: toNext(answer.nextUri, origin),
  };
}

/** Returns the rows of a page. @throws EngineError 'shape' if a value is neither text nor null. */
function toTextRows({ data }: TrinoPage, columns: readonly string[]): TextRow[] {
  return data.map((row) => {
    if (row.length !== columns.length)
      throw otherForm(`expected ${columns.length} values, got ${row.length}`);
    return Object.fromEntries(
      columns.map((column, i) => {
        const value = row[i];
        if (value === null || typeof value === 'string') return [column, value];
        throw notText(column);
      }),
    );
  });
}

function failureOf(error: Answer['error']): EngineError {
  const { errorName, message } = error ?? {};
  const name = typeof errorName === 'string' ? errorName : 'UNKNOWN';
  return toFailure('Trino', name, typeof message === 'string' ? message : 'the query failed');
}

/** The address must be on the same server, because the request has the user's credentials. */
function toNext(uri: unknown, origin: string): URL | undefined {
  if (uri === undefined) return undefined;
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.origin === origin) return url;
  const got = url === undefined ? 'text that is not a URL' : `one on ${url.origin}`;
  const remedy = 'Behind a proxy, set http-server.process-forwarded=true on the server';
  throw otherForm(`expected a next page on ${origin}, got ${got}. ${remedy}`);
}

function nameOf(column: unknown): string {
  const { name } = (column ?? {}) as { name?: unknown };
  if (typeof name !== 'string') throw otherForm('expected names of columns');
  return name;
}

function toArray(what: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw otherForm(`expected a list of ${what}`);
  return value;
}

function otherForm(expected: string): EngineError {
  return new EngineError('failed', `Trino: the answer has another form: ${expected}.`);
}
