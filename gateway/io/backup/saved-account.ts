import { findSchemaFaults } from '../../../schemas/validate.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Account, KeyRecord } from '../../../schemas/types.generated.js';
import { findKey, isAccountId } from '../../core/accounts/account.js';

/** An account of a snapshot. `records` and `usage` are by key id, and contain only keys that the account lists. */
export type SavedAccount = {
  readonly account: Account;
  /** The records of the keys that were active at the export. A key without one is restored as revoked. */
  readonly records: Readonly<Record<string, KeyRecord>>;
  /** Last day of use of each key that was used. */
  readonly usage: Readonly<Record<string, string>>;
};

/** Writes accounts as the content of a snapshot, in canonical JSON. */
export function writeContent(accounts: readonly SavedAccount[]): Uint8Array {
  return Buffer.from(canonicalJson(accounts));
}

/** Parses the content of a snapshot. @throws Error that says which account is not valid. */
export function parseContent(content: Uint8Array): SavedAccount[] {
  const parsed: unknown = JSON.parse(Buffer.from(content).toString('utf8'));
  if (!Array.isArray(parsed)) throw new Error('not a list of accounts');
  const ids = new Set<string>();
  return parsed.map((each: Partial<SavedAccount> | null, i) => {
    const fault = each === null ? 'empty' : findFault(each, ids);
    if (fault !== undefined) throw new Error(`account ${i + 1} of ${parsed.length} is ${fault}`);
    return each as SavedAccount; // its parts were checked
  });
}

/** Returns what is wrong with a saved account, without repeating its content. */
function findFault({ account, records, usage }: Partial<SavedAccount>, ids: Set<string>): string | undefined {
  if (findSchemaFaults('account', account).length > 0 || account === undefined) return 'not a valid account';
  if (!isAccountId(account.account)) return 'without a valid id';
  if (ids.has(account.account)) return 'there twice';
  ids.add(account.account);
  const areRecords = Object.entries(records ?? {}).every(
    ([id, record]) =>
      findKey(account, id)?.revoked_at === null &&
      findSchemaFaults('key-record', record).length === 0 &&
      record.account === account.account,
  );
  if (records === undefined || !areRecords) return 'without valid records of its active keys';
  const areUses = Object.entries(usage ?? {}).every(
    ([id, date]) =>
      findKey(account, id) !== undefined &&
      findSchemaFaults('key-usage', { schema: 'key-usage/1', last_used: date }).length === 0,
  );
  return usage === undefined || !areUses ? 'without valid days of use of its keys' : undefined;
}
