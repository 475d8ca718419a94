import { LRUCache } from 'lru-cache';
import type { Account } from '../../schemas/types.generated.js';
import { grantsOf } from '../core/account.js';
import type { Grant } from '../core/entitlements.js';
import { GatewayError } from '../core/problems.js';
import { isDamage } from './store-touch.js';
import { inTime } from './within-time.js';

/** Who calls: a key that its account lists and has not revoked, and what the account may read. */
export type Caller = {
  readonly keyId: string;
  readonly account: string;
  readonly grants: readonly Grant[];
};

/** An account as it was read at an instant. */
export type CachedAccount = {
  readonly readMs: number;
  /** Callers by the ids of the active keys. */
  readonly callers: ReadonlyMap<string, Caller>;
};

/** Accounts that were read lately. */
export type AccountCache = {
  /** The account as far as it may be relied on now, without waiting; one that is soon too old is read again meanwhile. */
  readonly peek: (id: string) => CachedAccount | undefined;
  /**
   * The account not older than `maxAgeMs`, or, while it cannot be read, as long as it may be relied on; the store is not
   * asked again so soon after a failure. @throws GatewayError
   */
  readonly read: (id: string, maxAgeMs?: number) => Promise<CachedAccount>;
};

/** What a cache needs: `readAccount` of the store, and the clock. */
export type AccountCacheTerms = {
  readonly readAccount: (id: string) => Promise<Account | undefined>;
  readonly now: () => number;
  /** Told whether the store answered. */
  readonly onAnswer: (error: unknown) => void;
};

const ACCOUNTS = 100_000;
/** Age up to which an account is relied on: what was revoked is refused after it. */
const FRESH_MS = 30_000;
/** Age from which it is read again, so that a busy key never waits. */
const READ_AHEAD_MS = 20_000;
/** Age up to which it is relied on while the store cannot be read. */
const LAST_RESORT_MS = 600_000;
/** How long after a failure the store is asked again. */
const DOWN_MS = 5_000;
/** How long an answer of the store is waited for. */
export const PATIENCE_MS = 2_000;
/** Age of a failure up to which the store counts as down: a key that calls every other second asks again before it. */
const DOWN_FOR_MS = DOWN_MS + 2 * PATIENCE_MS;

type Entry = {
  account: CachedAccount | undefined;
  failedMs: number;
  reading: Promise<unknown> | undefined;
};

/** A cache of accounts, bounded; whoever called least lately is forgotten first. */
export function createAccountCache({ readAccount, now, onAnswer }: AccountCacheTerms): AccountCache {
  const entries = new LRUCache<string, Entry>({ max: ACCOUNTS });
  const ageOf = (ms: number): number => (now() < ms ? Infinity : now() - ms); // unknown when the clock was set back

  function entryOf(id: string): Entry {
    const known = entries.get(id);
    if (known !== undefined) return known;
    const entry: Entry = { account: undefined, failedMs: -Infinity, reading: undefined };
    entries.set(id, entry);
    return entry;
  }

  /** Reads an account once for all who ask meanwhile; resolves the failure, if it was one. */
  function load(id: string, entry: Entry): Promise<unknown> {
    const readMs = now(); // what is revoked from now on is not in what is read
    entry.reading ??= inTime(readAccount(id), PATIENCE_MS, 'the accounts store')
      .then(
        (found) => {
          entry.account = { readMs, callers: callersOf(id, found) };
          entry.failedMs = -Infinity;
          onAnswer(undefined);
          return undefined;
        },
        (error: unknown) => {
          entry.failedMs = now();
          onAnswer(error);
          return error;
        },
      )
      .finally(() => (entry.reading = undefined));
    return entry.reading;
  }

  /** The account, while it may be relied on. */
  function reliable({ account, failedMs }: Entry): CachedAccount | undefined {
    if (account === undefined) return undefined;
    const ageMs = ageOf(account.readMs);
    const isDown = ageOf(failedMs) < DOWN_FOR_MS;
    return ageMs < FRESH_MS || (isDown && ageMs < LAST_RESORT_MS) ? account : undefined;
  }

  return {
    peek(id) {
      const entry = entries.get(id);
      if (entry?.account === undefined) return undefined;
      const isSoonOld = ageOf(entry.account.readMs) >= READ_AHEAD_MS;
      if (isSoonOld && entry.reading === undefined && ageOf(entry.failedMs) >= DOWN_MS) void load(id, entry);
      return reliable(entry);
    },
    async read(id, maxAgeMs = FRESH_MS) {
      const entry = entryOf(id);
      if (entry.account !== undefined && ageOf(entry.account.readMs) < maxAgeMs) return entry.account;
      const hasJustFailed = ageOf(entry.failedMs) < Math.min(maxAgeMs, DOWN_MS);
      const failure = hasJustFailed && reliable(entry) ? undefined : await load(id, entry);
      const account = reliable(entry);
      if (account !== undefined) return account;
      throw toRefusal(failure);
    },
  };
}

/** What to answer when something could not be read: a damaged document is a fault of ours, and nothing to wait for. */
export function toRefusal(error: unknown): unknown {
  return isDamage(error) ? error : new GatewayError('store-unavailable', { cause: error });
}

function callersOf(id: string, account: Account | undefined): Map<string, Caller> {
  if (account === undefined) return new Map();
  const grants = grantsOf(account);
  const active = Object.entries(account.keys).filter(([, key]) => key.revoked_at === null);
  return new Map(active.map(([keyId]) => [keyId, { keyId, account: id, grants }]));
}
