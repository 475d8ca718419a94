import type { SignedObject, SignedUrl, UrlSigner } from './url-signer.js';

/** Number of URLs that are kept. */
const KEPT = 10_000;

/**
 * The signer, but a URL that was signed within the second is given again: it would be the same one. When a release
 * appears, many ask for few files.
 */
export function createSignedUrlCache(signer: UrlSigner, now: () => number): UrlSigner {
  let second = Number.NaN;
  const urls = new Map<string, { readonly object: SignedObject; readonly signed: SignedUrl }>();
  return {
    sign(object) {
      const current = Math.floor(now() / 1000);
      if (current !== second || urls.size >= KEPT) {
        urls.clear();
        second = current;
      }
      const known = urls.get(object.sha256);
      if (known !== undefined && isAlike(known.object, object)) return known.signed;
      const signed = signer.sign(object);
      if (!(signed instanceof Promise)) urls.set(object.sha256, { object, signed });
      return signed;
    },
  };
}

function isAlike(one: SignedObject, other: SignedObject): boolean {
  return one === other || (one.mediaType === other.mediaType && one.disposition === other.disposition);
}
