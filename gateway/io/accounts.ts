import { toInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { Account, KeyRecord, ManualGrant } from '../../schemas/types.generated.js';
import {
  addKey,
  assertRoom,
  createAccount,
  findGrant,
  findKey,
  grantsOf,
  putGrant,
  revokeKey,
} from '../core/account.js';
import { keyRecordKey } from '../core/account-keys.js';
import { createApiKey, isKeyId, type ApiKey, type KeyMode } from '../core/api-key.js';
import { explainInactivity, isActive, namePlan } from '../core/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import { GatewayError } from '../core/problems.js';
import { DOCUMENT_META, readDocument, writeDocument } from './account-documents.js';
import { createKeyUsageLog, type KeyUsageLog } from './key-usage.js';
import { readStoredAccount, updateAccount, type UpdateTerms } from './update-account.js';

const DRAWS = 5;

/** The accounts store: what accounts may read, and whose a key is. Every method fails with StoreError or 'damaged'. */
export type Accounts = KeyUsageLog & {
  /** The account as it is; `undefined` when there is none. */
  readonly readAccount: (account: string) => Promise<Account | undefined>;
  /** Whose a key is; `undefined` when the id was never given out. The account says whether the key is still active. */
  readonly readKey: (keyId: string) => Promise<KeyRecord | undefined>;
  /**
   * Creates a key, which is resolved this once and kept nowhere.
   * @throws GatewayError 'key-limit-reached', and with `needsGrant` 'subscription-inactive'.
   */
  readonly createKey: (account: string, terms: KeyTerms) => Promise<CreatedKey>;
  /** Revokes a key, once: again, it resolves the first instant. @throws GatewayError 'not-found' */
  readonly revokeKey: (account: string, keyId: string) => Promise<RevokedKey>;
  /**
   * Grants a plan, in place of what the account had of the same plan and chain; an end in the past ends it now.
   * @throws OperatorError 'refused' when there is nothing to end.
   */
  readonly grant: (account: string, terms: GrantTerms) => Promise<Account>;
};

/** What a new key shall be. Precondition: `label` is one (`isLabel`) or null. */
export type KeyTerms = {
  readonly label: string | null;
  /** Whether the account must have an active grant. */
  readonly needsGrant: boolean;
};

/** A new key with its text. */
export type CreatedKey = {
  readonly key: string;
  readonly id: string;
  readonly label: string | null;
  readonly created_at: string;
};

/** A revoked key. */
export type RevokedKey = { readonly id: string; readonly revoked_at: string };

/** What is granted: until just before the instant `until`. */
export type GrantTerms = Pick<ManualGrant, 'plan' | 'chain' | 'until' | 'reason'>;

/** What the accounts need of the world: `now` in milliseconds since the epoch, `random` unpredictable bytes. */
export type AccountsTerms = Omit<UpdateTerms, 'store'> & {
  readonly now: () => number;
  readonly mode: KeyMode;
};

/** The accounts in `store`. */
export function createAccounts(store: UpdateTerms['store'], terms: AccountsTerms): Accounts {
  const { now, random, mode } = terms;
  const update = (id: string, change: (account: Account) => Account): Promise<Account> =>
    updateAccount({ ...terms, store }, id, change);

  async function readAccount(id: string): Promise<Account | undefined> {
    return (await readStoredAccount(store, id))?.value;
  }

  /** Stores the digest of a new key under an id that nobody has. */
  async function issueKey(account: string): Promise<ApiKey> {
    for (let draw = 1; draw <= DRAWS; draw += 1) {
      const key = createApiKey(mode, random);
      const record: KeyRecord = { schema: 'key-record/1', sha256: sha256Hex(key.text), account };
      const bytes = writeDocument('key-record', record);
      const stored = await store.putIfAbsent(keyRecordKey(key.id), bytes, DOCUMENT_META);
      if (stored === 'created') return key;
    }
    throw new Error(`${DRAWS} ids of keys were taken, one after the other: the random bytes are not random`);
  }

  return {
    ...createKeyUsageLog(store),
    readAccount,
    async readKey(keyId) {
      if (!isKeyId(keyId)) return undefined;
      return (await readDocument(store, keyRecordKey(keyId), 'key-record'))?.value;
    },
    async createKey(id, { label, needsGrant }) {
      const created = { label, created_at: toInstant(now()), revoked_at: null };
      const account = (await readAccount(id)) ?? createAccount(id);
      if (needsGrant) assertActive(account, now());
      assertRoom(account); // before a record that nobody would need; the swap asks again
      const key = await issueKey(id);
      await update(id, (before) => addKey(before, key.id, created));
      return { key: key.text, id: key.id, label, created_at: created.created_at };
    },
    async revokeKey(id, keyId) {
      const instant = toInstant(now());
      const account = await update(id, (before) => revokeKey(before, keyId, instant));
      return { id: keyId, revoked_at: findKey(account, keyId)?.revoked_at ?? instant };
    },
    grant: (id, grant) => update(id, (account) => grantTo(account, grant, now())),
  };
}

function assertActive(account: Account, nowMs: number): void {
  const grants = grantsOf(account);
  if (grants.some((grant) => isActive(grant, nowMs))) return;
  throw new GatewayError('subscription-inactive', { detail: explainInactivity(grants, nowMs) });
}

/** The account with the grant; it goes on from when it began, unless it had ended. An end in the past is now. */
function grantTo(account: Account, terms: GrantTerms, nowMs: number): Account {
  const before = findGrant(account, terms);
  const now = toInstant(nowMs); // of one width, so that they compare as texts
  if (terms.until <= now) return endGrant(account, terms, before, now);
  if (before?.until === terms.until && before.reason === terms.reason) return account;
  const since = before !== undefined && before.until > now ? before.since : now;
  return putGrant(account, { ...terms, since, origin: 'manual' });
}

function endGrant(
  account: Account,
  { plan, chain, reason }: GrantTerms,
  before: ManualGrant | undefined,
  now: string,
): Account {
  if (before === undefined) {
    throw new OperatorError(
      'refused',
      `the account has no grant of ${namePlan(plan, chain)} to end: the end lies in the past`,
    );
  }
  return before.until <= now ? account : putGrant(account, { ...before, until: now, reason });
}
