import type { ReadMethod } from '../../core/signing/sigv4.js';

/** An object to sign a URL for, with headers of its response. */
export type SignedObject = {
  readonly sha256: string;
  readonly mediaType: string;
  /** Value of `Content-Disposition`. */
  readonly disposition: string;
};

/** A URL that works without further credentials until it expires. */
export type SignedUrl = { readonly url: string; readonly expiresInSeconds: number };

/** Signs URLs of objects. */
export type UrlSigner = {
  /**
   * Returns a URL for one method, GET by default: S3 refuses a HEAD of a URL that is signed for GET. Returns a promise only if credentials have to be renewed first.
   * @throws GatewayError 'store-unavailable' while there are no valid credentials.
   */
  readonly sign: (object: SignedObject, method?: ReadMethod) => SignedUrl | Promise<SignedUrl>;
};
