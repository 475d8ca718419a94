import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createAccounts, type Accounts } from '../../../gateway/io/accounts/accounts.js';
import { importAccounts, type ImportedAccount } from '../../../gateway/io/backup/import-accounts.js';
import type { SavedAccount } from '../../../gateway/io/backup/saved-account.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { createMemoryStore } from '../stores/memory-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-store' };
const random = (size: number): Uint8Array => randomBytes(size);
const pause = (): Promise<void> => Promise.resolve();

/** Opens the accounts of a store at a time, without pauses between attempts. */
export function openAccountsAt(store: ObjectStore, nowMs: number): Accounts {
  return createAccounts(store, { now: () => nowMs, random, mode: 'live', pause });
}

/** Imports accounts at a time, without pauses between attempts. */
export function importAt(
  store: ObjectStore,
  nowMs: number,
  accounts: readonly SavedAccount[],
  revokesKeys = false,
): Promise<ImportedAccount[]> {
  return importAccounts({ store, now: () => nowMs, random, pause, revokesKeys }, accounts);
}

/** Returns whether a key is accepted, as the gateway decides it: by its record, and by its account. */
export async function isAccepted(accounts: Accounts, key: string, id: string): Promise<boolean> {
  const record = await accounts.readKey(id);
  if (record?.sha256 !== sha256Hex(key)) return false;
  return (await accounts.readAccount(record.account))?.keys[id]?.revoked_at === null;
}

/** Returns a copy of a store in memory. */
export async function copyStore(store: ObjectStore): Promise<ObjectStore> {
  const copy = createMemoryStore();
  for await (const { key } of store.list('')) {
    const found = await store.get(key);
    if (found !== undefined) await copy.putIfAbsent(key, found.bytes, META);
  }
  return copy;
}

/** Returns the documents of a store by key. */
export async function readTexts(store: ObjectStore): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for await (const { key } of store.list(''))
    texts[key] = Buffer.from((await store.get(key))?.bytes ?? []).toString();
  return texts;
}
