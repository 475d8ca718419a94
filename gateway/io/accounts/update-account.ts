import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import type { Account } from '../../../schemas/types.generated.js';
import { accountKey } from '../../../schemas/account-key.js';
import { createAccount, isAccountId } from '../../core/accounts/account.js';
import {
  damaged,
  DOCUMENT_META,
  readDocument,
  writeDocument,
  type StoredDocument,
} from './account-documents.js';

const MAX_ATTEMPTS = 20;
const DEADLINE_MS = 10_000;
const MIN_BACKOFF_MS = 10;
const MAX_BACKOFF_MS = 500;

/** Options for `updateAccount`. */
export type UpdateOptions = {
  readonly store: ObjectStore;
  /** Returns random bytes, for the jitter of the backoff. */
  readonly random: (size: number) => Uint8Array;
  /** Waits between two attempts; a timer by default. */
  readonly pause?: (ms: number) => Promise<void>;
};

/**
 * Returns the changed account, or the account itself if there is nothing to change. It is called again after
 * a conflict, so that what it reads elsewhere, at Stripe for example, was read after the account that it
 * changes. `isStored` is false for an account that does not exist yet.
 */
export type AccountChange = (account: Account, isStored: boolean) => Account | Promise<Account>;

/** Reads an account; `undefined` if it does not exist. @throws OperatorError 'damaged' */
export async function readStoredAccount(
  store: ObjectStore,
  id: string,
): Promise<StoredDocument<'account'> | undefined> {
  return readAccountAt(store, accountKey(id));
}

/** Reads the account at a key of the store; `undefined` if there is none. @throws OperatorError 'damaged' */
export async function readAccountAt(
  store: ObjectStore,
  key: string,
): Promise<StoredDocument<'account'> | undefined> {
  const found = await readDocument(store, key, 'account');
  if (found !== undefined && accountKey(found.value.account) !== key) {
    throw damaged(key, 'is the document of another account');
  }
  return found;
}

/**
 * Changes an account by compare-and-swap and returns it. Creates an account that does not exist. Retries a conflict or a
 * locked store; a write whose response was lost succeeds if `change` finds nothing left to change. Rethrows the errors
 * of `change`.
 *
 * p-retry is not used: it only lengthens delays, so writers that collide stay in step. With eight writers of one account
 * it took 0.5 s instead of 0.2 s.
 * @throws StoreError 'locked' if every attempt conflicts with another writer.
 */
export async function updateAccount(
  { store, random, pause = (ms) => sleep(ms) }: UpdateOptions,
  id: string,
  change: AccountChange,
): Promise<Account> {
  if (!isAccountId(id)) throw new TypeError('not an account id');
  const deadlineMs = performance.now() + DEADLINE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const before = await readStoredAccount(store, id);
    const account = before?.value ?? createAccount(id);
    const next = await change(account, before !== undefined);
    if (next === account) return account;
    const outcome = await trySwap(store, before, next);
    if (outcome === 'done') return next;
    if (outcome !== 'conflict' && outcome.code === 'unavailable') {
      return findChanged(store, id, change, outcome);
    }
    if (attempt >= MAX_ATTEMPTS || performance.now() > deadlineMs) throw toLastError(store, id, outcome);
    await pause(toBackoffMs(attempt, random));
  }
}

async function trySwap(
  store: ObjectStore,
  before: StoredDocument<'account'> | undefined,
  next: Account,
): Promise<'done' | 'conflict' | StoreError> {
  const bytes = writeDocument('account', next);
  const expected = before?.etag ?? null;
  try {
    const swapped = await store.compareAndSwap(accountKey(next.account), bytes, expected, DOCUMENT_META);
    return swapped === 'conflict' ? 'conflict' : 'done';
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'address') return error;
    throw error;
  }
}

/** Returns the account if the change was written although the store failed. @throws the failure otherwise. */
async function findChanged(
  store: ObjectStore,
  id: string,
  change: AccountChange,
  failure: StoreError,
): Promise<Account> {
  const stored = await readStoredAccount(store, id).catch(() => undefined);
  if (stored !== undefined && (await change(stored.value, true)) === stored.value) return stored.value;
  throw failure;
}

function toLastError(store: ObjectStore, id: string, last: 'conflict' | StoreError): StoreError {
  if (last !== 'conflict') return last;
  return new StoreError(
    'locked',
    `${store.address}: other processes keep changing ${accountKey(id)}. Run again.`,
  );
}

/** Returns an exponential backoff with full jitter. */
function toBackoffMs(attempt: number, random: (size: number) => Uint8Array): number {
  const [byte = 0] = random(1);
  return (byte / 255) * Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempt - 1));
}
