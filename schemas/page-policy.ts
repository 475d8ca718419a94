/** What a browser may make of a page: draw it with a stylesheet and pictures from where it comes, and run nothing. */
export const PAGE_POLICY =
  "default-src 'none';style-src 'self';img-src 'self';base-uri 'none';form-action 'none'";
