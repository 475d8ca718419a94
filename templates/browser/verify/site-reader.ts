import type { ReadFile, ReadOptions, ReceivedFile } from '../../../schemas/trust/verify-site.js';

/** How a file is asked for. */
type FileRequest = {
  readonly cache: 'no-cache' | 'reload';
  readonly credentials: 'omit';
  readonly signal: AbortSignal;
};

/** Options for `createSiteReader`. */
export type SiteReaderOptions = {
  /** The browser's `fetch`. */
  readonly fetchFile: (path: string, request: FileRequest) => Promise<Response>;
  /** The page's own host. Redirects to another one are refused, and the policy of the page forbids them too. */
  readonly origin: string;
  /** Resolves after this time. Called when the host asks the reader to wait. */
  readonly pause: (seconds: number) => Promise<void>;
  /** Limit for each answer, so that a host that never ends one does not keep the reader waiting. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 60_000;
/** Number of times that a file is asked for while the host asks the reader to wait. */
const ATTEMPTS = 10;
/** Seconds to wait after a 429 answer that does not say how long. */
const USUAL_PAUSE = 10;
/** Maximum seconds to wait for a file, in all pauses together. */
const LONGEST_PAUSE = 120;
/** Size of the first buffer of an answer, which grows as the answer does. */
const BUFFER_BYTES = 65_536;

/**
 * Returns a reader of the files of the page's own host. Without `fresh`, the browser revalidates what it has kept. With it, caches
 * on the way are asked to revalidate too.
 */
export function createSiteReader(options: SiteReaderOptions): ReadFile {
  const { fetchFile, origin, pause, timeoutMs = TIMEOUT_MS } = options;
  const ask = async (
    path: string,
    { fresh, maxBytes }: ReadOptions,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const response = await fetchFile(path, {
      cache: fresh ? 'reload' : 'no-cache',
      credentials: 'omit',
      signal,
    });
    const { status, headers } = response;
    const isElsewhere = response.redirected && new URL(response.url).origin !== origin;
    if (isElsewhere || status !== 200) {
      void response.body?.cancel().catch(() => undefined); // it may have no end
      if (isElsewhere) throw new Error('redirected to another host');
      return { status, pause: pauseOf(response) };
    }
    const isCached = /^0*[1-9][0-9]*$/.test(headers.get('Age') ?? '');
    return { status, file: { bytes: await readBytes(response, maxBytes), isCached } };
  };
  return async (path, read) => {
    const once = (): Promise<Answer> => within(timeoutMs, (signal) => ask(path, read, signal));
    let answer = await once();
    let left = LONGEST_PAUSE;
    for (let i = 1; i < ATTEMPTS && answer.pause !== undefined && left > 0; i += 1) {
      await pause(Math.min(answer.pause, left));
      left -= answer.pause;
      answer = await once();
    }
    const { status, file } = answer;
    if (file === undefined && status !== 404 && status !== 410) throw new Error(`status ${status}`);
    return file;
  };
}

/** An answer of the host. `pause` has the seconds for which it asks the reader to wait. */
type Answer = {
  readonly status: number;
  readonly file?: ReceivedFile;
  readonly pause?: number | undefined;
};

/** Returns the result of `work`. Aborts it after the time limit, and does not rely on it to end. */
async function within<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('no complete answer in time'));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the seconds for which an answer asks the reader to wait; `undefined` if it does not. */
function pauseOf({ status, headers }: Response): number | undefined {
  const after = headers.get('Retry-After') ?? '';
  if (status !== 429 && (status !== 503 || after === '')) return undefined;
  return /^[0-9]+$/.test(after) ? Math.max(Number(after), 1) : USUAL_PAUSE;
}

/** Returns the content of an answer, of which at most one byte more than `maxBytes` is kept. */
async function readBytes({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  let kept = new Uint8Array(Math.min(maxBytes + 1, BUFFER_BYTES));
  let length = 0;
  const pieces = body?.getReader();
  while (pieces !== undefined && length <= maxBytes) {
    const { value: piece, done } = await pieces.read();
    if (done) return kept.subarray(0, length);
    const taken = piece.subarray(0, maxBytes + 1 - length);
    if (length + taken.length > kept.length) {
      // one buffer, because a host can send any number of pieces of one byte
      const larger = new Uint8Array(Math.min(maxBytes + 1, 2 * (length + taken.length)));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(taken, length);
    length += taken.length;
  }
  void pieces?.cancel().catch(() => undefined);
  return kept.subarray(0, length);
}
