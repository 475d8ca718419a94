import { sha256Hex } from '../../../schemas/digest.js';
import {
  assertReadable,
  type Etag,
  MAX_OBJECT_BYTES,
  type ObjectStore,
} from '../../../infra/store/object-store.js';

/** An object of a store in memory. It is replaced, never changed, so that stores can share it. */
export type MemoryObject = {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly etag: Etag;
  readonly modifiedAtMs: number;
};

/** Creates an object with a copy of these bytes. */
export function toMemoryObject(body: Uint8Array, modifiedAtMs: number): MemoryObject {
  const sha256 = sha256Hex(body);
  return { bytes: new Uint8Array(body), sha256, etag: `"${sha256}"`, modifiedAtMs };
}

/**
 * Creates a store in memory. `now` is its clock, in milliseconds since the epoch. `initial` are the objects that it has
 * already.
 */
export function createMemoryStore(
  now: () => number = () => 0,
  initial: ReadonlyMap<string, MemoryObject> = new Map(),
): ObjectStore {
  const objects = new Map(initial);

  function write(key: string, body: Uint8Array): Etag {
    const object = toMemoryObject(body, now());
    objects.set(key, object);
    return object.etag;
  }

  return {
    address: 'memory:',
    get(key, maxBytes = MAX_OBJECT_BYTES) {
      const found = objects.get(key);
      return Promise.resolve(found && { bytes: found.bytes.slice(0, maxBytes), etag: found.etag });
    },
    head(key) {
      const found = objects.get(key);
      return Promise.resolve(
        found && {
          etag: found.etag,
          sizeBytes: found.bytes.length,
          sha256: found.sha256,
          modifiedAtMs: found.modifiedAtMs,
          answeredAtMs: now(),
        },
      );
    },
    async putIfAbsent(key, body) {
      await Promise.resolve();
      assertReadable(key, body);
      if (objects.has(key)) return 'exists';
      write(key, body);
      return 'created';
    },
    async compareAndSwap(key, body, expected) {
      await Promise.resolve();
      assertReadable(key, body);
      if ((objects.get(key)?.etag ?? null) !== expected) return 'conflict';
      return write(key, body);
    },
    async *list(prefix) {
      await Promise.resolve();
      for (const key of [...objects.keys()].filter((each) => each.startsWith(prefix)).sort()) {
        const found = objects.get(key);
        if (found) yield { key, sizeBytes: found.bytes.length, modifiedAtMs: found.modifiedAtMs };
      }
    },
    delete(key) {
      objects.delete(key);
      return Promise.resolve();
    },
  };
}
