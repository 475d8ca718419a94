import type { ReadFile } from '../../../schemas/trust/verify-site.js';

/** Limit for one file, so that a host that never answers does not keep the reader waiting. */
const TIMEOUT_MS = 60_000;

/**
 * Returns a reader of the files of the page's own host. Without `fresh`, the browser revalidates what it has kept. With it, caches
 * on the way are asked to revalidate too.
 */
export function createSiteReader(fetchFile: typeof fetch): ReadFile {
  return async (path, { fresh }) => {
    const response = await fetchFile(path, {
      cache: fresh ? 'reload' : 'no-cache',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`status ${response.status}`);
    const isCached = Number(response.headers.get('Age') ?? 0) > 0;
    return { bytes: new Uint8Array(await response.arrayBuffer()), isCached };
  };
}
