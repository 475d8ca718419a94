import pMap from 'p-map';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { ACCOUNTS_PREFIX, keyRecordKey } from '../../../schemas/paths.js';
import type { Account, KeyRecord } from '../../../schemas/types.generated.js';
import { readDocument } from '../accounts/account-documents.js';
import { readAccountAt } from '../accounts/update-account.js';
import { createKeyUsageLog } from '../accounts/key-usage.js';
import type { SavedAccount } from './saved-account.js';

const CONCURRENCY = 16;
/** Maximum number of reads of an account whose keys change while it is read. */
const MAX_READS = 10;

/** The accounts of a store, and the ids of active keys that do not work because they have no record. */
export type ExportedAccounts = {
  readonly accounts: readonly SavedAccount[];
  readonly brokenKeys: readonly string[];
};

/**
 * Reads all accounts that exist when it starts, beside running gateways. Each account is whole: as it was stored at one
 * moment of the export, with the records of its active keys. Accounts do not refer to each other, so that they need not be
 * of the same moment. Records that no account lists are omitted: their keys are not valid.
 * @throws OperatorError 'damaged' with the key of a document that is not valid.
 */
export async function exportAccounts(store: ObjectStore): Promise<ExportedAccounts> {
  const keys: string[] = [];
  for await (const { key } of store.list(ACCOUNTS_PREFIX)) keys.push(key);
  const found = await pMap(keys, (key) => readWhole(store, key), { concurrency: CONCURRENCY });
  const accounts = found.flatMap((each) => each ?? []);
  const brokenKeys = accounts.flatMap(({ account, records }) =>
    activeIdsOf(account).filter((id) => !Object.hasOwn(records, id)),
  );
  return { accounts, brokenKeys };
}

/**
 * Reads an account, and then the records of its active keys. A record is written before an account lists its
 * key, and deleted after the key is revoked. If one is missing, the account has therefore changed, and both
 * are read again. If the account turns out to be unchanged, the key is broken.
 */
async function readWhole(store: ObjectStore, key: string): Promise<SavedAccount | undefined> {
  let lastEtag: string | undefined;
  for (let read = 1; ; read += 1) {
    const found = await readAccountAt(store, key);
    if (found === undefined) return undefined; // removed by an operator
    const { value: account, etag } = found;
    const records = await readRecords(store, account);
    const isWhole = Object.keys(records).length === activeIdsOf(account).length;
    if (isWhole || etag === lastEtag || read === MAX_READS) {
      const usage = await createKeyUsageLog(store).readUsage(Object.keys(account.keys));
      return { account, records, usage: Object.fromEntries(usage) };
    }
    lastEtag = etag;
  }
}

async function readRecords(store: ObjectStore, account: Account): Promise<Record<string, KeyRecord>> {
  const found = await Promise.all(
    activeIdsOf(account).map(async (id): Promise<[string, KeyRecord][]> => {
      const record = (await readDocument(store, keyRecordKey(id), 'key-record'))?.value;
      return record?.account === account.account ? [[id, record]] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

function activeIdsOf({ keys }: Account): string[] {
  return Object.entries(keys).flatMap(([id, key]) => (key.revoked_at === null ? [id] : []));
}
