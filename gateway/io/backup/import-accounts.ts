import pMap from 'p-map';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { toInstant } from '../../../schemas/dates.js';
import { keyRecordKey } from '../../../schemas/paths.js';
import type { Account } from '../../../schemas/types.generated.js';
import { findKey } from '../../core/accounts/account.js';
import { OperatorError } from '../../core/exit-codes.js';
import {
  describeKeyFates,
  mergeAccount,
  restoreAccount,
  type KeyFate,
} from '../../core/accounts/merge-account.js';
import { DOCUMENT_META, readDocument, writeDocument } from '../accounts/account-documents.js';
import { createKeyUsageLog } from '../accounts/key-usage.js';
import { isDamage } from '../accounts/store-health.js';
import { readStoredAccount, updateAccount, type UpdateOptions } from '../accounts/update-account.js';
import type { SavedAccount } from './saved-account.js';

/** Options for `importAccounts`. */
export type ImportOptions = UpdateOptions & {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Imports the keys of accounts that do not exist as revoked. */
  readonly revokesKeys: boolean;
};

/** Result of importing an account of a snapshot, and each of its keys. */
export type ImportedAccount = {
  readonly account: string;
  readonly outcome: 'created' | 'merged' | 'kept';
  readonly keys: ReadonlyMap<string, KeyFate>;
  /** Ids of the keys of the snapshot that the account had as active, and still has. */
  readonly activeIds: readonly string[];
  /** Ids of active keys that do not work, because the store has no record of them. */
  readonly brokenIds: readonly string[];
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
  return pMap(accounts, (saved) => importAccount(options, saved).catch(explainDamage), {
    concurrency: CONCURRENCY,
  });
}

function explainDamage(error: unknown): never {
  if (!(error instanceof Error && isDamage(error))) throw error;
  const message = `${error.message} Or remove it, so that the snapshot creates it again. Then repeat the import; other accounts may be imported already.`;
  throw new OperatorError('damaged', message, { cause: error });
}

/**
 * Writes the records of the active keys of a new account, then the account, which makes the keys valid in one step. A key
 * is active afterwards only if the account lists it as active already, or did not exist.
 */
async function importAccount(options: ImportOptions, saved: SavedAccount): Promise<ImportedAccount> {
  const { store, now, revokesKeys } = options;
  const id = saved.account.account;
  const revokedAt = toInstant(now());
  const stored = (await readStoredAccount(store, id))?.value;
  const { takenIds, missingIds } = await putRecords(options, saved, stored);
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
  await recordUsage(store, saved);
  const keys = describeKeyFates({ before, after, saved: saved.account }, takenIds);
  const isActive = (keyId: string): boolean => findKey(after, keyId)?.revoked_at === null;
  const activeIds = [...keys.keys()].filter((keyId) => keys.get(keyId) === 'kept' && isActive(keyId));
  const brokenIds = [...missingIds].filter(isActive); // a gateway may have revoked a key meanwhile
  return { account: id, outcome, keys, activeIds, brokenIds };
}

type RecordFaults = {
  /** Ids of active keys of the snapshot under which the store has another key. */
  readonly takenIds: ReadonlySet<string>;
  /** Ids of active keys of an existing account that have no record. */
  readonly missingIds: ReadonlySet<string>;
};

/**
 * Writes the records of a new account's active keys. The records of an existing account are only compared: one that is
 * missing was perhaps deleted to invalidate its key.
 */
async function putRecords(
  { store, revokesKeys }: ImportOptions,
  saved: SavedAccount,
  stored: Account | undefined,
): Promise<RecordFaults> {
  const [takenIds, missingIds] = [new Set<string>(), new Set<string>()];
  const isNew = stored === undefined;
  for (const [id, record] of Object.entries(saved.records)) {
    if (isNew ? revokesKeys : findKey(stored, id)?.revoked_at !== null) continue; // the key will be revoked
    const key = keyRecordKey(id);
    const put = isNew && (await store.putIfAbsent(key, writeDocument('key-record', record), DOCUMENT_META));
    if (put === 'created') continue;
    const found = await readDocument(store, key, 'key-record');
    if (found === undefined) missingIds.add(id);
    else if (canonicalJson(found.value) !== canonicalJson(record)) takenIds.add(id);
  }
  return { takenIds, missingIds };
}

/** Records the days of use, except of an id that belongs to a key of another account in the store. */
async function recordUsage(
  store: UpdateOptions['store'],
  { account: { account }, usage }: SavedAccount,
): Promise<void> {
  const log = createKeyUsageLog(store);
  for (const [id, date] of Object.entries(usage)) {
    const record = await readDocument(store, keyRecordKey(id), 'key-record').catch(ignoreDamage);
    if (record === undefined || record.value.account === account) await log.recordUsage(id, date);
  }
}

function ignoreDamage(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}
