import { EMBED_HEADER_POLICY, PAGE_HEADER_POLICY } from '../../../schemas/page-policy.js';
import { EMBED_PATH } from '../../../schemas/paths.js';

/** Values of `Content-Security-Policy` for the media types that browsers render. */
const POLICIES: ReadonlyMap<string, string> = new Map([
  // Charts contain their styles inline, and the styles depend on the version of the generator.
  ['image/svg+xml', "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'"],
  ['text/html; charset=utf-8', PAGE_HEADER_POLICY],
]);

/** Returns the policy for files of a media type at a path, or `undefined` if the policy of all responses applies. */
export function contentPolicyOf(mediaType: string, path: string): string | undefined {
  const policy = POLICIES.get(mediaType);
  return policy === PAGE_HEADER_POLICY && path.startsWith(EMBED_PATH) ? EMBED_HEADER_POLICY : policy;
}
