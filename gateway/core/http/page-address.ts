import { publicKey, PUBLIC_PREFIX } from '../../../schemas/paths.js';

/** No address of a page is longer. */
const MAX_LENGTH = 200;
/** Endings of other addresses of a page, besides slashes. */
const ENDINGS = [publicKey('/').slice(PUBLIC_PREFIX.length - 1), '.html'];

/**
 * Returns the page that an address with a slash, `.html` or `/index.html` at its end means, as `isPage` knows it; `undefined`
 * if there is none, or the address is the page's own. The result is never longer than the address.
 */
export function toPageAddress(path: string, isPage: (path: string) => boolean): string | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  const folder = withoutSlashes(path);
  const ending = ENDINGS.find((each) => folder.endsWith(each)) ?? '';
  const page = withoutSlashes(folder.slice(0, folder.length - ending.length)) || '/';
  return page !== path && isPage(page) ? page : undefined;
}

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}
