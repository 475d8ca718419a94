import { retryAfterMs } from './retry-delay.js';
import { watchTransfer, type TransferLimits } from './transfer-watch.js';
import type { HttpTools } from './http-tools.js';

/** The result of one request. */
type Attempt =
  | { readonly kind: 'answered'; readonly bytes: Uint8Array }
  /** A failure that may pass: the network, a timeout, 429 or 5xx. `got` describes it. */
  | { readonly kind: 'failed'; readonly got: string; readonly retryAfterMs: number }
  /** An answer that a retry would not change. */
  | { readonly kind: 'refused'; readonly got: string; readonly status?: number };

/** Options for `requestOnce`. */
export type RequestOptions = {
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

/** Reads a body piece by piece, so that a small compressed one cannot fill the memory. */
async function readBody(answer: Response, maxBytes: number, progress: () => void): Promise<Attempt> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    progress();
    size += chunk.length;
    if (size > maxBytes) return { kind: 'refused', got: 'more' }; // leaving the loop cancels the body
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
