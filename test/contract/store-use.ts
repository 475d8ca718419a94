import type { Etag, ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';

/** Metadata of all objects in the contract tests. */
export const META: ObjectMeta = { contentType: 'application/json', cacheControl: 'no-cache' };

/** Operations of a store with text instead of bytes. */
export type StoreUse = {
  readonly store: () => ObjectStore;
  readonly put: (key: string, text: string) => Promise<'created' | 'exists'>;
  readonly swap: (key: string, text: string, expected: Etag | null) => Promise<Etag | 'conflict'>;
  readonly read: (key: string) => Promise<string | undefined>;
  readonly etagOf: (key: string) => Promise<Etag | null>;
  readonly keys: (prefix: string) => Promise<string[]>;
};

export function createUse(store: () => ObjectStore): StoreUse {
  return {
    store,
    put: (key, text) => store().putIfAbsent(key, Buffer.from(text), META),
    swap: (key, text, expected) => store().compareAndSwap(key, Buffer.from(text), expected, META),
    read: async (key) => toText((await store().get(key))?.bytes),
    etagOf: async (key) => (await store().get(key))?.etag ?? null,
    async keys(prefix) {
      const keys: string[] = [];
      for await (const { key } of store().list(prefix)) keys.push(key);
      return keys;
    },
  };
}

function toText(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString('utf8');
}
