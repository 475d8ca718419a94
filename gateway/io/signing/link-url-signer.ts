import type { ObjectLinks } from '../../core/signing/object-link.js';
import type { UrlSigner } from './url-signer.js';

/** Options for `createLinkUrlSigner`. */
type LinkUrlSignerOptions = {
  readonly links: ObjectLinks;
  /** Returns the URL before the path, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly ttlSeconds: number;
  readonly now: () => number;
};

/** Creates a signer that links to the objects of a directory store at this gateway. Links live at least `ttlSeconds`. */
export function createLinkUrlSigner({ links, baseUrl, ttlSeconds, now }: LinkUrlSignerOptions): UrlSigner {
  return {
    sign(object) {
      const expires = Math.floor(now() / 1000) + 1 + ttlSeconds; // rounded up, so that links are equal for a second
      return { url: `${baseUrl()}${links.format(object, expires)}`, expiresInSeconds: ttlSeconds };
    },
  };
}
