/** What is handed out: an object by its digest, and how its reader shall take it. */
export type SignedObject = {
  readonly sha256: string;
  readonly mediaType: string;
  /** `Content-Disposition` of the answer. */
  readonly disposition: string;
};

/** A URL that anyone may follow for a while. */
export type SignedUrl = { readonly url: string; readonly expiresInSeconds: number };

/** Hands out objects by signed URLs. It answers at once where nothing need be waited for. */
export type UrlSigner = {
  /** @throws GatewayError 'store-unavailable' when nothing can be signed for the moment. */
  readonly sign: (object: SignedObject) => SignedUrl | Promise<SignedUrl>;
};
