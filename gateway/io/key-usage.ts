import type { ObjectStore } from '../../infra/store/object-store.js';
import { keyUsageKey } from '../core/account-keys.js';
import { isDamage } from './store-touch.js';
import { DOCUMENT_META, readDocument, writeDocument } from './account-documents.js';

/** When keys were last used, to the day. */
export type KeyUsageLog = {
  /** Puts down that a key was used on a date, unless that or a later one is known. Of several who write at once, one does. */
  readonly recordUsage: (keyId: string, date: string) => Promise<void>;
  /** The last days of use by id; keys that were never used are left out. */
  readonly readUsage: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** A day of use is good to know, and no more: what is damaged is not known, and is written anew with the next use. */
function forget(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}

/** The log in the accounts store. */
export function createKeyUsageLog(store: ObjectStore): KeyUsageLog {
  return {
    async recordUsage(keyId, date) {
      const key = keyUsageKey(keyId);
      const before = await readDocument(store, key, 'key-usage').catch(forget);
      if (before !== undefined && before.value.last_used >= date) return;
      const bytes = writeDocument('key-usage', { schema: 'key-usage/1', last_used: date });
      const etag = before?.etag ?? (await store.head(key))?.etag ?? null; // a damaged one is written over
      await store.compareAndSwap(key, bytes, etag, DOCUMENT_META);
    },
    async readUsage(keyIds) {
      const found = await Promise.all(
        keyIds.map(async (keyId): Promise<[string, string][]> => {
          const usage = await readDocument(store, keyUsageKey(keyId), 'key-usage').catch(forget);
          return usage === undefined ? [] : [[keyId, usage.value.last_used]];
        }),
      );
      return new Map(found.flat());
    },
  };
}
