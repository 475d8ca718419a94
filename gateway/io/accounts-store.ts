import type { ObjectStore } from '../../infra/store/object-store.js';
import { openStore, type OpenTerms } from '../../infra/store/open-store.js';
import { STORE_KEY } from '../../schemas/paths.js';
import { OperatorError } from '../core/exit-codes.js';

/**
 * Opens the accounts store at an address. A new one needs no preparation.
 * @throws OperatorError 'usage' for a store of releases, which others may read and a collector of garbage sweeps;
 * StoreError for an address that is none.
 */
export async function openAccountsStore(address: string, terms: OpenTerms = {}): Promise<ObjectStore> {
  const store = await openStore(address, terms);
  if ((await store.head(STORE_KEY)) === undefined) return store;
  throw new OperatorError('usage', `${store.address} holds releases; give accounts a store of their own`);
}
