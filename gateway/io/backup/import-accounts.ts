import pMap from 'p-map';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { toInstant } from '../../../schemas/dates.js';
import { keyRecordKey } from '../../../schemas/paths.js';
import type { Account, KeyRecord } from '../../../schemas/types.generated.js';
import { findKey } from '../../core/accounts/account.js';
import {
  describeKeyFates,
  mergeAccount,
  restoreAccount,
  type KeyFate,
} from '../../core/accounts/merge-account.js';
import { DOCUMENT_META, readDocument, writeDocument } from '../accounts/account-documents.js';
import { createKeyUsageLog } from '../accounts/key-usage.js';
import { readStoredAccount, updateAccount, type UpdateOptions } from '../accounts/update-account.js';
import type { SavedAccount } from './saved-account.js';

/** Options for `importAccounts`. */
export type ImportOptions = UpdateOptions & {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Imports the keys of accounts that do not exist as revoked. */
  readonly revokesKeys: boolean;
};

/** What was done with an account of a snapshot, and with each of its keys. */
export type ImportedAccount = {
  readonly account: string;
  readonly outcome: 'created' | 'merged' | 'kept';
  readonly keys: ReadonlyMap<string, KeyFate>;
  /** Ids of the keys of the snapshot that the account had as active, and still has. */
  readonly activeIds: readonly string[];
};

const CONCURRENCY = 16;

/**
 * Imports accounts into a store, beside running gateways. An account that does not exist is created as it was saved; one
 * that exists is merged (`mergeAccount`), so that no key is un-revoked. A run that was interrupted can be repeated: the
 * result is the same as of one run.
 * @throws OperatorError 'damaged' for a document of the store that is not valid; StoreError
 */
export function importAccounts(
  options: ImportOptions,
  accounts: readonly SavedAccount[],
): Promise<ImportedAccount[]> {
  return pMap(accounts, (saved) => importAccount(options, saved), { concurrency: CONCURRENCY });
}

/**
 * Writes the records of the active keys, then the account, which makes the keys valid in one step. A key is active
 * afterwards only if the account lists it as active already, or did not exist.
 */
async function importAccount(options: ImportOptions, saved: SavedAccount): Promise<ImportedAccount> {
  const { store, now, revokesKeys } = options;
  const id = saved.account.account;
  const revokedAt = toInstant(now());
  const stored = (await readStoredAccount(store, id))?.value;
  const takenIds = await putRecords(options, saved, stored);
  let outcome: ImportedAccount['outcome'] = 'kept';
  let before: Account | undefined = stored;
  const after = await updateAccount(options, id, (current, isStored) => {
    const next = isStored
      ? mergeAccount(current, saved.account, { revokedAt })
      : restoreAccount(saved.account, { revokedAt, takenIds, revokesKeys });
    if (next !== current) {
      outcome = isStored ? 'merged' : 'created';
      before = isStored ? current : undefined;
    }
    return next;
  });
  const usage = createKeyUsageLog(store);
  for (const [keyId, date] of Object.entries(saved.usage)) await usage.recordUsage(keyId, date);
  const keys = describeKeyFates({ before, after, saved: saved.account }, takenIds);
  const activeIds = [...keys].flatMap(([keyId, fate]) =>
    fate === 'kept' && findKey(after, keyId)?.revoked_at === null ? [keyId] : [],
  );
  return { account: id, outcome, keys, activeIds };
}

/** Writes the records of the keys that can be active, and returns the ids that belong to another key in the store. */
async function putRecords(
  { store, revokesKeys }: ImportOptions,
  saved: SavedAccount,
  stored: Account | undefined,
): Promise<ReadonlySet<string>> {
  const canBeActive = (id: string): boolean =>
    stored === undefined ? !revokesKeys : findKey(stored, id)?.revoked_at === null;
  const taken = new Set<string>();
  for (const [id, record] of Object.entries(saved.records)) {
    if (canBeActive(id) && !(await putRecord(store, id, record))) taken.add(id);
  }
  return taken;
}

/** Writes a record unless there is one, and returns whether the store has the same one afterwards. */
async function putRecord(store: UpdateOptions['store'], id: string, record: KeyRecord): Promise<boolean> {
  const key = keyRecordKey(id);
  const put = await store.putIfAbsent(key, writeDocument('key-record', record), DOCUMENT_META);
  if (put === 'created') return true;
  const found = await readDocument(store, key, 'key-record');
  return found === undefined || canonicalJson(found.value) === canonicalJson(record);
}
