/**
 * What a browser may make of a file of this type beyond showing data, as a `Content-Security-Policy`; `undefined` for
 * nothing. A picture has its style in itself, and which one depends on the generator that drew it.
 */
export function contentPolicyOf(mediaType: string): string | undefined {
  return mediaType === 'image/svg+xml'
    ? "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'"
    : undefined;
}
