import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { keyRecordKey, keyUsageKey } from '../../../schemas/paths.js';
import type { Account } from '../../../schemas/types.generated.js';
import { findExpiredKeys, removeKeys } from '../../core/accounts/account.js';

/**
 * Deletes the records of the expired keys of an account, and returns the account without these keys. A record
 * is deleted before the account gives up the tombstone of its key: without a record, no older document of the
 * account can make the key valid again. A key whose record cannot be deleted stays listed as revoked, and the
 * next change of the account's keys tries again.
 */
export async function removeExpiredKeys(
  store: ObjectStore,
  account: Account,
  nowMs: number,
): Promise<Account> {
  const ids = findExpiredKeys(account, nowMs);
  const deleted = await Promise.all(ids.map((id) => deleteKeyRecord(store, id)));
  return removeKeys(
    account,
    ids.filter((_id, i) => deleted[i]),
  );
}

/** Deletes the record of a key that is not valid, and its last use. Returns whether the store did so. */
export async function deleteKeyRecord(store: ObjectStore, keyId: string): Promise<boolean> {
  try {
    await store.delete(keyRecordKey(keyId));
    await store.delete(keyUsageKey(keyId));
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
