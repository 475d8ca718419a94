import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { openStore, type OpenOptions } from '../../../infra/store/open-store.js';
import { STORE_KEY } from '../../../schemas/paths.js';
import { OperatorError } from '../../core/exit-codes.js';

/** Options for `openAccountsStore`. With `mayBeDown`, a store that does not answer is opened without a check. */
type OpenAccountsOptions = OpenOptions & { readonly mayBeDown?: boolean };

/**
 * Opens the accounts store at an address. A new store needs no preparation. In a directory, only the owner of the process
 * can read what is created.
 * @throws OperatorError 'usage' for a store of releases, where other programs read and garbage collection deletes;
 * StoreError 'address' for an invalid address, and 'unavailable' for a store that does not answer, unless `mayBeDown`.
 */
export async function openAccountsStore(
  address: string,
  { mayBeDown = false, ...options }: OpenAccountsOptions = {},
): Promise<ObjectStore> {
  const store = await openStore(address, { ...options, isPrivate: true });
  const mark = await store.head(STORE_KEY).catch((error: unknown) => {
    if (mayBeDown && error instanceof StoreError && error.code === 'unavailable') return undefined;
    throw error;
  });
  if (mark === undefined) return store;
  throw new OperatorError('usage', `${store.address} contains releases. Use a separate store for accounts.`);
}
