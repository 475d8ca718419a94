import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { StoreEditor } from './edit-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

/** Returns an editor of a store in memory. */
export function editorOf(store: ObjectStore): StoreEditor {
  return {
    root: store.address,
    async read(key) {
      const found = await store.get(key);
      if (found === undefined) throw new Error(`no ${key}`);
      return Buffer.from(found.bytes);
    },
    async write(key, body) {
      await store.delete(key);
      await store.putIfAbsent(key, Buffer.from(body), META);
    },
    remove: (key) => store.delete(key),
    undo: () => Promise.reject(new Error('not needed')),
  };
}
