import { createMemoryStore } from './memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

/** Creates stores in memory with the objects of a prepared store, which is faster than publishing again. */
export type MemoryCopies = {
  /** Creates a store. Its objects keep their modification times; later writes get the time of `clock`. */
  readonly create: (clock?: { nowMs: number }) => Promise<ObjectStore>;
};

/** Reads a store, to create copies of it. */
export async function createMemoryCopies(store: ObjectStore): Promise<MemoryCopies> {
  const objects: { readonly key: string; readonly bytes: Uint8Array; readonly modifiedAtMs: number }[] = [];
  for await (const { key, modifiedAtMs } of store.list('')) {
    objects.push({ key, bytes: (await store.get(key))?.bytes ?? new Uint8Array(), modifiedAtMs });
  }
  return {
    async create(clock = { nowMs: 0 }) {
      let writtenAtMs: number | undefined;
      const copy = createMemoryStore(() => writtenAtMs ?? clock.nowMs);
      for (const { key, bytes, modifiedAtMs } of objects) {
        writtenAtMs = modifiedAtMs;
        await copy.putIfAbsent(key, bytes, META);
      }
      writtenAtMs = undefined;
      return copy;
    },
  };
}
