import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { openStore, type OpenOptions } from '../../../infra/store/open-store.js';
import { ensureSafe } from '../../../infra/store/store-safety.js';
import { STORE_KEY } from '../../../schemas/paths.js';
import { OperatorError } from '../../core/exit-codes.js';

/** Options for `openAccountsStore`. With `mayBeDown`, a store that does not answer is opened without a check. */
type OpenAccountsOptions = OpenOptions & { readonly mayBeDown?: boolean };

/**
 * Opens the accounts store at an address. A new store needs no preparation. In a directory, only the owner of the process
 * can read what is created. A server other than Amazon S3 is checked once: two requests may change an account at once.
 * @throws OperatorError 'usage' for a store of releases, where other programs read and garbage collection deletes;
 * StoreError 'address' for an invalid address, 'unsafe' for a server that loses writes, and 'unavailable' for a store that
 * does not answer, unless `mayBeDown`.
 */
export async function openAccountsStore(
  address: string,
  { mayBeDown = false, ...options }: OpenAccountsOptions = {},
): Promise<ObjectStore> {
  const store = await openStore(address, { ...options, isPrivate: true });
  try {
    if ((await store.head(STORE_KEY)) !== undefined)
      throw new OperatorError(
        'usage',
        `${store.address} contains releases. Use a separate store for accounts.`,
      );
    await ensureSafe(store, { now: Date.now });
  } catch (error) {
    if (!mayBeDown || !(error instanceof StoreError) || error.code !== 'unavailable') throw error;
  }
  return store;
}
