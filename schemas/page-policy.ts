const SAME_ORIGIN = "img-src 'self';script-src 'self';connect-src 'self';base-uri 'none';form-action 'none'";

/**
 * Returns the Content-Security-Policy in the head of a page: everything comes from the same origin, and nothing is inline but
 * style sheets with these SHA-256 digests, in Base64.
 */
export function pagePolicy(styleDigests: readonly string[]): string {
  const styles = ["'self'", ...styleDigests.map((digest) => `'sha256-${digest}'`)];
  return `default-src 'none';style-src ${styles.join(' ')};${SAME_ORIGIN}`;
}

const SENT = `${SAME_ORIGIN};font-src 'none';frame-src 'none';manifest-src 'none';media-src 'none';object-src 'none';worker-src 'none'`;

/**
 * Content-Security-Policy of the response with a page. Browsers enforce it together with the policy in the head. It has no
 * `style-src`, nor `default-src` that would stand in for it: only the page knows the digest of its style sheet.
 */
export const PAGE_HEADER_POLICY = `${SENT};frame-ancestors 'none'`;

/** Content-Security-Policy of the response with a page below `EMBED_PATH`: the same, but any page may embed it. */
export const EMBED_HEADER_POLICY = `${SENT};frame-ancestors *`;
