import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import type { Account } from '../../schemas/types.generated.js';
import { accountKey } from '../core/account-keys.js';
import { createAccount, isAccountId } from '../core/account.js';
import {
  damaged,
  DOCUMENT_META,
  readDocument,
  writeDocument,
  type StoredDocument,
} from './account-documents.js';

const ATTEMPTS = 20;
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/** Where accounts are, and the chance that keeps their writers apart. */
export type UpdateTerms = {
  readonly store: ObjectStore;
  /** Gives as many bytes as it is asked for. */
  readonly random: (size: number) => Uint8Array;
  /** How to wait; by the clock where absent. */
  readonly pause?: (ms: number) => Promise<void>;
};

/** What an account shall become. */
export type AccountChange = (account: Account) => Account | Promise<Account>;

/** Reads an account; `undefined` when there is none. @throws OperatorError 'damaged' */
export async function readStoredAccount(
  store: ObjectStore,
  id: string,
): Promise<StoredDocument<'account'> | undefined> {
  const key = accountKey(id);
  const found = await readDocument(store, key, 'account');
  if (found !== undefined && found.value.account !== id) {
    throw damaged(key, 'is the document of another account');
  }
  return found;
}

/**
 * Changes an account by compare-and-swap and resolves it as it then is. A change that was overtaken, or met a lock, is
 * made again on what is there by then. An account that does not exist is created.
 * `change` gives the account itself when nothing is left to change, so that a change whose answer was lost is found
 * done; what it throws ends the update. It may wait for something else, which then was read after the account.
 * @throws StoreError 'locked' when others are in the way for too long.
 */
export async function updateAccount(
  { store, random, pause = (ms) => sleep(ms) }: UpdateTerms,
  id: string,
  change: AccountChange,
): Promise<Account> {
  if (!isAccountId(id)) throw new TypeError('not an account id');
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const before = await readStoredAccount(store, id);
    const account = before?.value ?? createAccount(id);
    const next = await change(account);
    if (next === account) return account;
    const swapped = await trySwap(store, before, next);
    if (swapped === 'done') return next;
    if (swapped !== 'conflict' && swapped.code === 'unavailable') return findDone(store, id, change, swapped);
    if (attempt >= ATTEMPTS || performance.now() > deadlineMs) throw toGivenUp(store, id, swapped);
    await pause(toPauseMs(attempt, random));
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

/** The account, when a change was made although the store failed. @throws the failure otherwise. */
async function findDone(
  store: ObjectStore,
  id: string,
  change: AccountChange,
  failure: StoreError,
): Promise<Account> {
  const now = await readStoredAccount(store, id).catch(() => undefined);
  if (now !== undefined && (await change(now.value)) === now.value) return now.value;
  throw failure;
}

function toGivenUp(store: ObjectStore, id: string, last: 'conflict' | StoreError): StoreError {
  if (last !== 'conflict') return last;
  return new StoreError('locked', `${store.address}: others keep changing ${accountKey(id)}; run again`);
}

/** Exponential with full jitter. */
function toPauseMs(attempt: number, random: (size: number) => Uint8Array): number {
  const [byte = 0] = random(1);
  return (byte / 255) * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
}
