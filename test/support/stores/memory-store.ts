import { sha256Hex } from '../../../schemas/digest.js';
import { assertReadable, type Etag, type ObjectStore } from '../../../infra/store/object-store.js';

/** Creates a store in memory. `now` is its clock, in milliseconds since the epoch. */
export function createMemoryStore(now: () => number = () => 0): ObjectStore {
  const objects = new Map<string, { bytes: Uint8Array; etag: Etag; modifiedAtMs: number }>();

  function write(key: string, body: Uint8Array): Etag {
    const etag: Etag = `"${sha256Hex(body)}"`;
    objects.set(key, { bytes: Uint8Array.from(body), etag, modifiedAtMs: now() });
    return etag;
  }

  return {
    address: 'memory:',
    get(key) {
      const found = objects.get(key);
      return Promise.resolve(found && { bytes: Uint8Array.from(found.bytes), etag: found.etag });
    },
    head(key) {
      const found = objects.get(key);
      return Promise.resolve(
        found && {
          etag: found.etag,
          sizeBytes: found.bytes.length,
          sha256: sha256Hex(found.bytes),
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
