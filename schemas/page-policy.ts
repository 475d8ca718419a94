/** Content-Security-Policy of a page: styles and images from the same origin, no scripts. */
export const PAGE_POLICY =
  "default-src 'none';style-src 'self';img-src 'self';base-uri 'none';form-action 'none'";
