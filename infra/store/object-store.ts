/** Where releases live. An artifact is written once and never changed. test/contract/object-store.ts is the law. */
export type ObjectStore = {
  /** Where the store is, as an operator would type it. */
  readonly address: string;
  /** Resolves the bytes and etag, or `undefined` when there is no such key. Every other failure rejects. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Resolves what is known of the object without its bytes, or `undefined` when there is no such key. */
  head(key: string): Promise<ObjectHead | undefined>;
  /**
   * Stores `body` unless `key` exists; resolves which of the two it was, also when the answer to the first try was
   * lost: then bytes like ours are ours.
   */
  putIfAbsent(key: string, body: Uint8Array, meta: ObjectMeta): Promise<'created' | 'exists'>;
  /**
   * Replaces `key` if its etag is still `expected` (`null`: if it is still absent); resolves the new etag, or
   * 'conflict' and changes nothing. What was put before is durable once it resolves.
   */
  compareAndSwap(
    key: string,
    body: Uint8Array,
    expected: Etag | null,
    meta: ObjectMeta,
  ): Promise<Etag | 'conflict'>;
  /** Every object whose key begins with `prefix`, keys ascending by code units. Shows what lies there when asked. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes an object; a missing one is no fault. Only for garbage, and for a public copy that no release names. */
  delete(key: string): Promise<void>;
};

/** An opaque mark of an object's content, in quotes as HTTP has it; it changes when the content does. */
export type Etag = `"${string}"`;

/** An object with its bytes. */
export type StoredObject = { readonly bytes: Uint8Array; readonly etag: Etag };

/**
 * An object without its bytes. `sha256` is lowercase hex, checked by the store against what it holds. Both times are
 * by the store's own clock, so that no other clock changes what their difference, the object's age, is.
 */
export type ObjectHead = {
  readonly etag: Etag;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedAtMs: number;
  readonly answeredAtMs: number;
};

/** An object as a listing shows it. */
export type ListedObject = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
};

/**
 * What a store tells the reader of an object; `contentDisposition` gives the name under which a person's browser keeps
 * it. A directory keeps none of it: its reader knows from the release.
 */
export type ObjectMeta = {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly contentDisposition?: string;
};

/** What can go wrong with a store: it cannot be reached or written, it is locked, the address is no store. */
export type StoreErrorCode = 'unavailable' | 'locked' | 'address';

/** A failure of a store that its caller cannot mend. The message is for an operator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
