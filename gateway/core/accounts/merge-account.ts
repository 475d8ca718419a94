import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Account, AccountKey } from '../../../schemas/types.generated.js';
import { mergeBilling } from '../billing/merge-billing.js';
import { findGrant, findKey } from './account.js';

/**
 * Result of importing a key of a backup: `created` as the backup has it, `kept` as the account has it,
 * `revoked` although the backup or the account has it as active, or `skipped` because another key has its id.
 */
export type KeyFate = 'created' | 'kept' | 'revoked' | 'skipped';

/** Options for `restoreAccount` and `mergeAccount`. */
export type MergeOptions = {
  /** Time of revocation of the keys that are imported as revoked. */
  readonly revokedAt: string;
  /** Ids that other keys in the store have already. The keys of the backup are then imported as revoked. */
  readonly takenIds: ReadonlySet<string>;
};

/** Returns the account of a backup as it is created where no account exists. With `revokesKeys`, all its keys are revoked. */
export function restoreAccount(
  saved: Account,
  { revokedAt, takenIds, revokesKeys }: MergeOptions & { readonly revokesKeys: boolean },
): Account {
  const keys = Object.entries(saved.keys).map(([id, key]) => [
    id,
    revokesKeys || takenIds.has(id) ? revoke(key, revokedAt) : key,
  ]);
  return { ...saved, keys: Object.fromEntries(keys) as Account['keys'] };
}

/**
 * Adds the account of a backup to an account that exists, and returns the account itself if there is nothing to add. What
 * the account has takes precedence, because no document records its age, unless the owner deleted the account between the
 * two. A key that is revoked in either is revoked. A key that the account does not list may have been revoked so long ago
 * that it expired, so it is added as revoked.
 */
export function mergeAccount(
  current: Account,
  saved: Account,
  { revokedAt }: Pick<MergeOptions, 'revokedAt'>,
): Account {
  if (current.deleted_at !== saved.deleted_at) return mergeAcrossDeletion(current, saved, revokedAt);
  const keys = Object.entries(saved.keys).map(([id, key]) => [
    id,
    mergeKey(findKey(current, id), key, revokedAt),
  ]);
  const grants = saved.grants.filter((grant) => findGrant(current, grant) === undefined);
  const billing = mergeBilling(current.billing, saved.billing);
  const merged: Account = {
    ...current,
    keys: { ...current.keys, ...(Object.fromEntries(keys) as Account['keys']) },
    grants: [...current.grants, ...grants],
    ...(billing === undefined ? {} : { billing }),
  };
  return canonicalJson(merged) === canonicalJson(current) ? current : merged;
}

/**
 * Merges an account and a backup when the owner deleted the account between the two. No key, grant or subscription
 * that only the earlier one has comes back. The later one still lists operators' grants, which the deletion ended.
 */
function mergeAcrossDeletion(current: Account, saved: Account, revokedAt: string): Account {
  const { deleted_at: deletedAt = '' } = saved;
  if (deletedAt <= (current.deleted_at ?? '')) return current;
  const { billing: _billing, ...kept } = {
    ...current,
    keys: {},
    grants: saved.grants,
    deleted_at: deletedAt,
  };
  return mergeAccount(kept, saved, { revokedAt });
}

/** Returns what happened to each key of a backup. `before` is `undefined` if the account did not exist. */
export function describeKeyFates(
  { before, after, saved }: { before: Account | undefined; after: Account; saved: Account },
  takenIds: ReadonlySet<string>,
): Map<string, KeyFate> {
  return new Map(
    Object.entries(saved.keys).map(([id, key]): [string, KeyFate] => {
      if (takenIds.has(id)) return [id, 'skipped'];
      const known = before && findKey(before, id);
      const was = (known ?? key).revoked_at;
      if (findKey(after, id)?.revoked_at !== was) return [id, 'revoked'];
      return [id, known === undefined ? 'created' : 'kept'];
    }),
  );
}

function mergeKey(current: AccountKey | undefined, saved: AccountKey, revokedAt: string): AccountKey {
  if (current === undefined) return revoke(saved, revokedAt);
  return saved.revoked_at === null ? current : revoke(current, saved.revoked_at);
}

/** Returns the key revoked; a key that is revoked already keeps its time. */
function revoke(key: AccountKey, revokedAt: string): AccountKey {
  return { ...key, revoked_at: key.revoked_at ?? revokedAt };
}
