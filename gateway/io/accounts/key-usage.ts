import type { ObjectStore } from '../../../infra/store/object-store.js';
import { keyUsageKey } from '../../../schemas/paths.js';
import { DOCUMENT_META, readDocument, writeDocument } from './account-documents.js';
import { isDamage } from './store-health.js';

/** The day on which each key was last used. */
export type KeyUsageLog = {
  /** Records a use, unless that day or a later one is recorded already. Of several concurrent writers, one succeeds. */
  readonly recordUsage: (keyId: string, date: string) => Promise<void>;
  /** Returns the last days of use by key id, without the keys that were never used. */
  readonly readUsage: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** Creates the log of an accounts store. A damaged entry counts as absent, and the next use replaces it. */
export function createKeyUsageLog(store: ObjectStore): KeyUsageLog {
  return {
    async recordUsage(keyId, date) {
      const key = keyUsageKey(keyId);
      const before = await readDocument(store, key, 'key-usage').catch(ignoreDamage);
      if (before !== undefined && before.value.last_used >= date) return;
      const bytes = writeDocument('key-usage', { schema: 'key-usage/1', last_used: date });
      const etag = before?.etag ?? (await store.head(key))?.etag ?? null; // a damaged entry has an etag too
      await store.compareAndSwap(key, bytes, etag, DOCUMENT_META);
    },
    async readUsage(keyIds) {
      const found = await Promise.all(
        keyIds.map(async (keyId): Promise<[string, string][]> => {
          const usage = await readDocument(store, keyUsageKey(keyId), 'key-usage').catch(ignoreDamage);
          return usage === undefined ? [] : [[keyId, usage.value.last_used]];
        }),
      );
      return new Map(found.flat());
    },
  };
}

function ignoreDamage(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}
