import { LRUCache } from 'lru-cache';

/** Bytes by name, each made when they are first asked for. */
type ByteCache = {
  /** Returns the bytes of a name. If they are not cached, `make` makes them, once for all who ask meanwhile. */
  readonly get: (name: string, make: () => Promise<Uint8Array>) => Promise<Uint8Array>;
};

/** Creates a cache of at most `maxBytes`, which drops the least recently used bytes first. */
export function createByteCache(maxBytes: number): ByteCache {
  const cached = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  });
  const pending = new Map<string, Promise<Uint8Array>>();

  async function add(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      const bytes = await make();
      cached.set(name, bytes);
      return bytes;
    } finally {
      pending.delete(name);
    }
  }

  return {
    async get(name, make) {
      const found = cached.get(name) ?? pending.get(name);
      if (found !== undefined) return found;
      const added = add(name, make);
      pending.set(name, added);
      return added;
    },
  };
}
