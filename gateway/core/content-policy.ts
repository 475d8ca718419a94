import { PAGE_POLICY } from '../../schemas/page-policy.js';

/** The policies of files that a browser draws, by media type, as `Content-Security-Policy` lists them. */
const POLICIES: ReadonlyMap<string, string> = new Map([
  // A picture has its style in itself, and which one depends on the generator that drew it.
  ['image/svg+xml', "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'"],
  ['text/html; charset=utf-8', `${PAGE_POLICY};frame-ancestors 'none'`],
]);

/** What a browser may make of a file of this type beyond showing data; `undefined` for nothing. */
export function contentPolicyOf(mediaType: string): string | undefined {
  return POLICIES.get(mediaType);
}
