import type { ReadFile } from '../../../schemas/trust/verify-site.js';

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
  const ask = (path: string, fresh: boolean): Promise<Response> =>
    fetchFile(path, {
      cache: fresh ? 'reload' : 'no-cache',
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
    });
  return async (path, { fresh, maxBytes }) => {
    let response = await ask(path, fresh);
    let left = LONGEST_PAUSE;
    for (let i = 1; i < ATTEMPTS && left > 0; i += 1) {
      const seconds = pauseOf(response);
      if (seconds === undefined) break;
      discard(response);
      await pause(Math.min(seconds, left));
      left -= seconds;
      response = await ask(path, fresh);
    }
    if (response.redirected && new URL(response.url).origin !== origin) {
      discard(response);
      throw new Error('redirected to another host');
    }
    if (response.status !== 200) {
      discard(response);
      if (response.status === 404 || response.status === 410) return undefined;
      throw new Error(`status ${response.status}`);
    }
    const isCached = /^0*[1-9][0-9]*$/.test(response.headers.get('Age') ?? '');
    return { bytes: await readBytes(response, maxBytes), isCached };
  };
}

/** Returns the seconds for which an answer asks the reader to wait; `undefined` if it does not. */
function pauseOf({ status, headers }: Response): number | undefined {
  const after = headers.get('Retry-After') ?? '';
  if (status !== 429 && (status !== 503 || after === '')) return undefined;
  return /^[0-9]+$/.test(after) ? Math.max(Number(after), 1) : USUAL_PAUSE;
}

/** Ends an answer that is not read, however long it is. */
function discard({ body }: Response): void {
  void body?.cancel().catch(() => undefined);
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
