import type { SignedObject, SignedUrl, UrlSigner } from './url-signer.js';

const MAX_URLS = 10_000;

/**
 * Returns the signer with a cache: within a second, an object gets the same URL. This helps after a new release, when
 * many subscribers request few files. These are not `FreshValues`, because all URLs of a second are dropped together.
 */
export function createSignedUrlCache(signer: UrlSigner, now: () => number): UrlSigner {
  let second = Number.NaN;
  const urls = new Map<string, { readonly object: SignedObject; readonly signed: SignedUrl }>();
  return {
    sign(object) {
      const current = Math.floor(now() / 1000);
      if (current !== second || urls.size >= MAX_URLS) {
        urls.clear();
        second = current;
      }
      const cached = urls.get(object.sha256);
      if (cached !== undefined && isSame(cached.object, object)) return cached.signed;
      const signed = signer.sign(object);
      if (!(signed instanceof Promise)) urls.set(object.sha256, { object, signed });
      return signed;
    },
  };
}

function isSame(one: SignedObject, other: SignedObject): boolean {
  return one === other || (one.mediaType === other.mediaType && one.disposition === other.disposition);
}
