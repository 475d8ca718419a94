import type { ObjectStore } from '../../../infra/store/object-store.js';
import { parseInstant } from '../../../schemas/dates.js';
import type { ManualGrant } from '../../../schemas/types.generated.js';
import { ACCOUNTS_PREFIX } from '../../../schemas/paths.js';
import { readDocument } from '../accounts/account-documents.js';
import { isDamage } from '../accounts/store-health.js';

/** Lists the manual grants that have not ended at `nowMs`. Accounts with a damaged document are skipped. */
export async function listManualGrants(
  store: ObjectStore,
  nowMs: number,
): Promise<(ManualGrant & { readonly account: string })[]> {
  const found = [];
  for await (const { key } of store.list(ACCOUNTS_PREFIX)) {
    const account = await readDocument(store, key, 'account').catch((error: unknown) => {
      if (isDamage(error)) return undefined;
      throw error;
    });
    for (const grant of account?.value.grants ?? []) {
      if ((parseInstant(grant.until) ?? 0) > nowMs)
        found.push({ account: account?.value.account ?? '', ...grant });
    }
  }
  return found;
}
