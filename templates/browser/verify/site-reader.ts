import type { ReadFile } from '../../../schemas/trust/verify-site.js';

/** How a file is asked for. */
type FileRequest = {
  readonly cache: 'no-cache' | 'reload';
  readonly credentials: 'omit';
  readonly signal: AbortSignal;
};

/** Options for `createSiteReader`. */
type SiteReaderOptions = {
  /** The browser's `fetch`. */
  readonly fetchFile: (path: string, request: FileRequest) => Promise<Response>;
  /** Resolves after this time. Called when the host limits how many files a visitor may read in a minute. */
  readonly pause: (seconds: number) => Promise<void>;
};

/** Limit for one file, so that a host that never answers does not keep the reader waiting. */
const TIMEOUT_MS = 60_000;
/** Number of times that a file is asked for while the host limits requests. */
const ATTEMPTS = 10;
/** Default and maximum seconds to wait after a 429 answer. */
const USUAL_PAUSE = 10;
const LONGEST_PAUSE = 120;

/**
 * Returns a reader of the files of the page's own host. Without `fresh`, the browser revalidates what it has kept. With it, caches
 * on the way are asked to revalidate too.
 */
export function createSiteReader({ fetchFile, pause }: SiteReaderOptions): ReadFile {
  const ask = (path: string, fresh: boolean): Promise<Response> =>
    fetchFile(path, {
      cache: fresh ? 'reload' : 'no-cache',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  return async (path, { fresh }) => {
    let response = await ask(path, fresh);
    for (let i = 1; response.status === 429 && i < ATTEMPTS; i += 1) {
      await pause(pauseOf(response.headers.get('Retry-After')));
      response = await ask(path, fresh);
    }
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) throw new Error(`status ${response.status}`);
    const isCached = Number(response.headers.get('Age') ?? 0) > 0;
    return { bytes: new Uint8Array(await response.arrayBuffer()), isCached };
  };
}

function pauseOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? USUAL_PAUSE);
  return Number.isNaN(seconds) ? USUAL_PAUSE : Math.min(Math.max(seconds, 1), LONGEST_PAUSE);
}
