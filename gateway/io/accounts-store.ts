import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { openStore, type OpenTerms } from '../../infra/store/open-store.js';
import { STORE_KEY } from '../../schemas/paths.js';
import { OperatorError } from '../core/exit-codes.js';

/** How to open; with `mayBeDown` a store that does not answer is opened too, and what it holds is not looked at. */
export type OpenAccountsTerms = OpenTerms & { readonly mayBeDown?: boolean };

/**
 * Opens the accounts store at an address. A new one needs no preparation.
 * @throws OperatorError 'usage' for a store of releases, which others may read and a collector of garbage sweeps;
 * StoreError for an address that is none.
 */
export async function openAccountsStore(
  address: string,
  { mayBeDown = false, ...terms }: OpenAccountsTerms = {},
): Promise<ObjectStore> {
  const store = await openStore(address, terms);
  const mark = await store.head(STORE_KEY).catch((error: unknown) => {
    if (mayBeDown && error instanceof StoreError && error.code === 'unavailable') return undefined;
    throw error;
  });
  if (mark === undefined) return store;
  throw new OperatorError('usage', `${store.address} holds releases; give accounts a store of their own`);
}
