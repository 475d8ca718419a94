/** A store of releases or accounts: keys with bytes, and conditional writes. Every adapter must pass test/contract/object-store.ts. */
export type ObjectStore = {
  /** The store's address as an operator would type it. */
  readonly address: string;
  /**
   * Resolves to the bytes and ETag, or `undefined` if the key does not exist. Rejects on any other failure. Of an object
   * larger than `maxBytes` (default and maximum: MAX_OBJECT_BYTES), only the first bytes are read, so that it cannot fill
   * the memory.
   */
  get(key: string, maxBytes?: number): Promise<StoredObject | undefined>;
  /**
   * Resolves to the object's metadata without its bytes, or `undefined` if the key does not exist. Of an object larger than
   * MAX_OBJECT_BYTES, size and digest can be those of the first bytes.
   */
  head(key: string): Promise<ObjectHead | undefined>;
  /**
   * Writes `body` unless `key` exists. Reports which of the two happened, even if the response to the first attempt was
   * lost: an object with the same bytes then counts as created. Rejects more than MAX_OBJECT_BYTES.
   */
  putIfAbsent(key: string, body: Uint8Array, meta: ObjectMeta): Promise<'created' | 'exists'>;
  /**
   * Replaces `key` if its ETag is still `expected` (`null`: if it still does not exist) and resolves to the new ETag.
   * Otherwise changes nothing and resolves to 'conflict'. All earlier writes are durable when it resolves.
   * Rejects more than MAX_OBJECT_BYTES.
   */
  compareAndSwap(
    key: string,
    body: Uint8Array,
    expected: Etag | null,
    meta: ObjectMeta,
  ): Promise<Etag | 'conflict'>;
  /** Lists the objects whose key begins with `prefix`, in the order of the keys' code units. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deletes an object if it exists. Use it only for what nothing refers to: garbage, public copies, and the records of API keys that have long been revoked. */
  delete(key: string): Promise<void>;
  /**
   * Returns the time of the store's own clock, in milliseconds since the epoch, known from its answers so far. Absent for
   * a store without a clock of its own, such as a directory; `undefined` until an answer has given the time.
   */
  now?(): number | undefined;
  /** The server that keeps the store; absent for a directory. */
  readonly server?: StoreServer;
};

/** The server of a store. */
export type StoreServer = {
  /** Returns whether it is Amazon S3 itself, by its host name: Amazon documents that conditional writes hold. */
  isAmazon(): Promise<boolean>;
  /** Checks what only a server has, on an object that exists, whose bytes are text: its name, links and ranges. */
  check(key: string, body: Uint8Array): Promise<ServerChecks>;
};

/** One line of a check. A `note` costs time or matters to other programs only; `public` means that strangers can read. */
export type CheckedRow = {
  readonly what: string;
  readonly result: 'holds' | 'note' | 'public' | 'one-writer' | 'unusable';
  readonly saw: string;
};

/** The checks of a server, as it calls itself; `requests` is the number that they took. */
export type ServerChecks = {
  readonly server: string | null;
  readonly requests: number;
  readonly rows: readonly CheckedRow[];
};

/** Maximum size of an object. The largest that the product writes have a few megabytes. */
export const MAX_OBJECT_BYTES = 64_000_000;

/** Opaque version of an object's content, quoted as in HTTP. It changes when the content does. */
export type Etag = `"${string}"`;

export type StoredObject = { readonly bytes: Uint8Array; readonly etag: Etag };

/**
 * An object without its bytes. `sha256` is that of the stored bytes, in lowercase hex. Both times come from the store's
 * clock, so their difference is the object's age without clock skew. Without a `Date` in the response, `answeredAtMs` is
 * the local clock.
 */
export type ObjectHead = {
  readonly etag: Etag;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedAtMs: number;
  readonly answeredAtMs: number;
};

export type ListedObject = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
};

/**
 * Headers that a store sends with an object. `contentDisposition` names the file that a browser saves. A directory store
 * does not keep them: the gateway sends those that belong to the path.
 */
export type ObjectMeta = {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly contentDisposition?: string;
};

/** Kinds of store failures: unreachable or not writable, locked by another process, a wrong address, or a server that loses writes. */
type StoreErrorCode = 'unavailable' | 'locked' | 'address' | 'unsafe';

/** A failure of a store. The message is for an operator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** Returns the optional members of a store that its wrappers have too: its clock and its server. */
export function serverMembers(store: ObjectStore): Pick<ObjectStore, 'now' | 'server'> {
  return {
    ...(store.now === undefined ? {} : { now: () => store.now?.() }),
    ...(store.server === undefined ? {} : { server: store.server }),
  };
}

/** Passes for a body that can be read again. @throws StoreError 'unavailable' for more than MAX_OBJECT_BYTES. */
export function assertReadable(key: string, { length }: Uint8Array): void {
  if (length <= MAX_OBJECT_BYTES) return;
  throw new StoreError(
    'unavailable',
    `${key} would have ${length} bytes, but at most ${MAX_OBJECT_BYTES} could be read again. It was not written.`,
  );
}
