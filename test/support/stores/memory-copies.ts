import { createMemoryStore, toMemoryObject, type MemoryObject } from './memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

/** Creates stores in memory with the objects of a prepared store, which is faster than publishing again. */
export type MemoryCopies = {
  /** Creates a store. Its objects keep their modification times; later writes get the time of `clock`. */
  readonly create: (clock?: { nowMs: number }) => Promise<ObjectStore>;
};

/** Reads a store, to create copies of it. */
export async function createMemoryCopies(store: ObjectStore): Promise<MemoryCopies> {
  const objects = new Map<string, MemoryObject>();
  for await (const { key, modifiedAtMs } of store.list('')) {
    const bytes = (await store.get(key))?.bytes ?? new Uint8Array();
    objects.set(key, toMemoryObject(bytes, modifiedAtMs));
  }
  return {
    create: (clock = { nowMs: 0 }) => Promise.resolve(createMemoryStore(() => clock.nowMs, objects)),
  };
}
