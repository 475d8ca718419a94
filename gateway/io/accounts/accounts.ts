import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Account, KeyRecord, ManualGrant } from '../../../schemas/types.generated.js';
import {
  addKey,
  assertBelowDailyCap,
  assertCanAddKey,
  createAccount,
  findGrant,
  findKey,
  grantsOf,
  putGrant,
  removeKeys,
  revokeKey,
  findExpiredKeys,
  deleteAccount,
} from '../../core/accounts/account.js';
import { keyRecordKey, keyUsageKey } from '../../../schemas/paths.js';
import { createApiKey, isKeyId, type ApiKey, type KeyMode } from '../../core/access/api-key.js';
import { explainInactivity, isActive, namePlan } from '../../core/access/entitlements.js';
import { OperatorError } from '../../core/exit-codes.js';
import { GatewayError } from '../../core/problems.js';
import { DOCUMENT_META, readDocument, writeDocument } from './account-documents.js';
import {
  readStoredAccount,
  updateAccount,
  type AccountChange,
  type UpdateOptions,
} from './update-account.js';
import { isDamage } from './store-health.js';

/** The day on which each key was last used. */
type KeyUsageLog = {
  /** Records a use, unless that day or a later one is recorded already. Of several concurrent writers, one succeeds. */
  readonly recordUsage: (keyId: string, date: string) => Promise<void>;
  /** Returns the last days of use by key id, without the keys that were never used. */
  readonly readUsage: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** Creates the log of an accounts store. A damaged entry counts as absent, and the next use replaces it. */
export function createKeyUsageLog(store: ObjectStore): KeyUsageLog {
  return {
    async recordUsage(keyId, date) {
      const key = keyUsageKey(keyId);
      const before = await readDocument(store, key, 'key-usage').catch(ignoreDamage);
      if (before !== undefined && before.value.last_used >= date) return;
      const bytes = writeDocument('key-usage', { schema: 'key-usage/1', last_used: date });
      const etag = before?.etag ?? (await store.head(key))?.etag ?? null; // a damaged entry has an etag too
      await store.compareAndSwap(key, bytes, etag, DOCUMENT_META);
    },
    async readUsage(keyIds) {
      const found = await Promise.all(
        keyIds.map(async (keyId): Promise<[string, string][]> => {
          const usage = await readDocument(store, keyUsageKey(keyId), 'key-usage').catch(ignoreDamage);
          return usage === undefined ? [] : [[keyId, usage.value.last_used]];
        }),
      );
      return new Map(found.flat());
    },
  };
}

function ignoreDamage(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}

const MAX_DRAWS = 5;

/** Accounts with their keys and manual grants. Every method can throw StoreError, or OperatorError 'damaged'. */
export type Accounts = KeyUsageLog & {
  /** Returns an account; `undefined` if it does not exist. */
  readonly readAccount: (account: string) => Promise<Account | undefined>;
  /** Returns the digest and account of a key, even if it is revoked; `undefined` for an unknown one, or a revoked one whose record was deleted. */
  readonly readKey: (keyId: string) => Promise<KeyRecord | undefined>;
  /**
   * Creates a key and returns its text, which is not stored.
   * @throws GatewayError 'key-limit-reached', with `needsGrant` 'subscription-inactive', with `isLimited` 'rate-limited'.
   */
  readonly createKey: (account: string, options: KeyOptions) => Promise<CreatedKey>;
  /** Revokes a key. For a revoked key, returns when that happened. @throws GatewayError 'not-found' */
  readonly revokeKey: (account: string, keyId: string) => Promise<RevokedKey>;
  /**
   * Deletes what is kept for the owner of an account (`deleteAccount`), and the records of all keys. It can be repeated.
   * Returns the ids of these keys.
   * @throws GatewayError 'already-subscribed'; StoreError if the records of some keys could not be deleted
   */
  readonly deleteAccount: (account: string) => Promise<readonly string[]>;
  /**
   * Grants a plan. It replaces a grant of the same plan and chain; an end in the past ends that grant now.
   * @throws OperatorError 'refused' when there is no grant to end.
   */
  readonly grant: (account: string, options: GrantPlanOptions) => Promise<Account>;
};

/** Options for `createKey`. Precondition: `label` is valid (`isLabel`) or null. */
type KeyOptions = {
  readonly label: string | null;
  /** Refuses an account without an active grant. */
  readonly needsGrant: boolean;
  /** Refuses an account with `KEYS_PER_DAY` keys of the last 24 hours. */
  readonly isLimited?: boolean;
};

/** A new key; `key` is its text. */
export type CreatedKey = {
  readonly key: string;
  readonly id: string;
  readonly label: string | null;
  readonly created_at: string;
};

type RevokedKey = { readonly id: string; readonly revoked_at: string };

/** Options for `grant`; the grant ends just before the instant `until`. */
export type GrantPlanOptions = Pick<ManualGrant, 'plan' | 'chain' | 'until' | 'reason'>;

/** Options for `createAccounts`; `random` must return cryptographically secure bytes. */
type AccountsOptions = Omit<UpdateOptions, 'store'> & {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly mode: KeyMode;
};

/** Creates access to the accounts in a store. */
export function createAccounts(store: UpdateOptions['store'], options: AccountsOptions): Accounts {
  const { now, random, mode } = options;
  const update = (id: string, change: AccountChange): Promise<Account> =>
    updateAccount({ ...options, store }, id, change);
  const updateKeys = (id: string, change: (account: Account) => Account): Promise<Account> =>
    update(id, (before) => {
      const after = change(before);
      return after === before ? before : removeExpiredKeys(store, after, now());
    });

  const readAccount = async (id: string): Promise<Account | undefined> =>
    (await readStoredAccount(store, id))?.value;

  /** Stores the digest of a new key under an unused id. */
  async function issueKey(account: string): Promise<ApiKey> {
    for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
      const key = createApiKey(mode, random);
      const record: KeyRecord = { schema: 'key-record/1', sha256: sha256Hex(key.text), account };
      const bytes = writeDocument('key-record', record);
      const stored = await store.putIfAbsent(keyRecordKey(key.id), bytes, DOCUMENT_META);
      if (stored === 'created') return key;
    }
    throw new Error(`${MAX_DRAWS} random key ids in a row were taken: the random bytes are not random`);
  }

  return {
    ...createKeyUsageLog(store),
    readAccount,
    async readKey(keyId) {
      if (!isKeyId(keyId)) return undefined;
      return (await readDocument(store, keyRecordKey(keyId), 'key-record'))?.value;
    },
    async createKey(id, { label, needsGrant, isLimited = false }) {
      const created = { label, created_at: toInstant(now()), revoked_at: null };
      const account = (await readAccount(id)) ?? createAccount(id);
      if (needsGrant) assertActive(account, now());
      assertCanAddKey(account); // avoids an orphaned key record; the update checks again
      if (isLimited) assertBelowDailyCap(account, now());
      const key = await issueKey(id);
      const add = (before: Account): Account => {
        const after = addKey(before, key.id, created);
        if (isLimited && after !== before) assertBelowDailyCap(before, now());
        return after;
      };
      await updateKeys(id, add).catch(async (error: unknown) => {
        if (error instanceof GatewayError) await deleteKeyRecord(store, key.id); // refused, so no account lists it
        throw error;
      });
      return { key: key.text, id: key.id, label, created_at: created.created_at };
    },
    async revokeKey(id, keyId) {
      const instant = toInstant(now());
      const account = await updateKeys(id, (before) => revokeKey(before, keyId, instant));
      return { id: keyId, revoked_at: findKey(account, keyId)?.revoked_at ?? instant };
    },
    async deleteAccount(id) {
      const before = await readAccount(id);
      return before === undefined
        ? []
        : deleteStored(store, (change) => update(id, change), toInstant(now()));
    },
    grant: (id, grant) => update(id, (account) => grantTo(account, grant, now())),
  };
}

/** Deletes an account's content and the records of its keys. Returns the ids of the keys. @throws StoreError 'unavailable' */
async function deleteStored(
  store: UpdateOptions['store'],
  update: (change: AccountChange) => Promise<Account>,
  instant: string,
): Promise<string[]> {
  const { keys } = await update((account) => deleteAccount(account, instant));
  const ids = Object.keys(keys);
  const deleted = await Promise.all(ids.map((id) => deleteKeyRecord(store, id)));
  const gone = ids.filter((_id, i) => deleted[i]);
  await update((account) => removeKeys(account, gone));
  if (gone.length === ids.length) return ids;
  throw new StoreError('unavailable', `${store.address}: some records of keys were not deleted. Run again.`);
}

function assertActive(account: Account, nowMs: number): void {
  const grants = grantsOf(account);
  if (grants.some((grant) => isActive(grant, nowMs))) return;
  throw new GatewayError('subscription-inactive', { detail: explainInactivity(grants, nowMs) });
}

/** Returns the account with the grant. A grant that has not ended keeps its start. */
function grantTo(account: Account, options: GrantPlanOptions, nowMs: number): Account {
  const before = findGrant(account, options);
  const instant = toInstant(nowMs); // instants have a fixed width, so they compare as text
  if (options.until <= instant) return endGrant(account, options, before, instant);
  if (before?.until === options.until && before.reason === options.reason) return account;
  const since = before !== undefined && before.until > instant ? before.since : instant;
  return putGrant(account, { ...options, since, origin: 'manual' });
}

function endGrant(
  account: Account,
  { plan, chain, reason }: GrantPlanOptions,
  before: ManualGrant | undefined,
  instant: string,
): Account {
  if (before === undefined) {
    throw new OperatorError(
      'refused',
      `The account has no grant of ${namePlan(plan, chain)} to end. To create a grant, use an end in the future.`,
    );
  }
  return before.until <= instant ? account : putGrant(account, { ...before, until: instant, reason });
}

/**
 * Deletes the records of the expired keys of an account, and returns the account without these keys. A record
 * is deleted before the account gives up the tombstone of its key: without a record, no older document of the
 * account can make the key valid again. A key whose record cannot be deleted stays listed as revoked, and the
 * next change of the account's keys tries again.
 */
async function removeExpiredKeys(store: ObjectStore, account: Account, nowMs: number): Promise<Account> {
  const ids = findExpiredKeys(account, nowMs);
  const deleted = await Promise.all(ids.map((id) => deleteKeyRecord(store, id)));
  return removeKeys(
    account,
    ids.filter((_id, i) => deleted[i]),
  );
}

/** Deletes the record of a key that is not valid, and its last use. Returns whether the store did so. */
async function deleteKeyRecord(store: ObjectStore, keyId: string): Promise<boolean> {
  try {
    await store.delete(keyRecordKey(keyId));
    await store.delete(keyUsageKey(keyId));
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
