/** Content-Security-Policy of a page: styles, images, scripts and data only from the same origin, nothing inline. */
export const PAGE_POLICY =
  "default-src 'none';style-src 'self';img-src 'self';script-src 'self';connect-src 'self';base-uri 'none';form-action 'none'";
