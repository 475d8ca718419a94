import { EngineError } from './engine.js';
import { backoffMs, type EngineTools } from './engine-tools.js';

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
export type TrinoHttp = {
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
