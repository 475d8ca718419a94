import type { ObjectLinks } from '../core/object-link.js';
import type { UrlSigner } from './url-signer.js';

/** What signing links needs; `baseUrl` gives what comes before the path, without a slash at its end. */
export type LinkUrlSignerTerms = {
  readonly links: ObjectLinks;
  readonly baseUrl: () => string;
  readonly ttlSeconds: number;
  readonly now: () => number;
};

/** Hands out the objects of a directory store by links to this gateway. They live at least `ttlSeconds`. */
export function createLinkUrlSigner({ links, baseUrl, ttlSeconds, now }: LinkUrlSignerTerms): UrlSigner {
  return {
    sign(object) {
      const expires = Math.floor(now() / 1000) + 1 + ttlSeconds; // the same for a whole second
      return { url: `${baseUrl()}${links.format(object, expires)}`, expiresInSeconds: ttlSeconds };
    },
  };
}
