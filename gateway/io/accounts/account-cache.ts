import type { Account } from '../../../schemas/types.generated.js';
import { grantsOf } from '../../core/accounts/account.js';
import type { Grant } from '../../core/access/entitlements.js';
import { GatewayError } from '../../core/problems.js';
import { isDamage, type WatchStore } from './store-health.js';
import { createFreshValues } from '../timing/fresh-values.js';
import { freshnessByAge } from '../timing/freshness.js';
import { noAnswerFrom, withTimeLimit } from '../timing/time-limit.js';

/** The owner of an active key, with the grants of the account. */
export type Caller = {
  readonly keyId: string;
  readonly account: string;
  readonly grants: readonly Grant[];
};

/** The callers of an account by the ids of its active keys. */
export type Callers = ReadonlyMap<string, Caller>;

/** A bounded cache of accounts. */
type AccountCache = {
  /** Returns a cached account if it is fresh enough, and refreshes it in the background when it is about to expire. */
  readonly peek: (id: string) => Callers | undefined;
  /**
   * Returns the account, not older than `maxAgeMs` if the store answers. If it does not, returns the last known account
   * until that has expired.
   * @throws GatewayError 'store-unavailable', or OperatorError 'damaged'.
   */
  readonly read: (id: string, maxAgeMs?: number) => Promise<Callers>;
};

/** Options for `createAccountCache`. */
type AccountCacheOptions = {
  /** Reads an account from the store. */
  readonly readAccount: (id: string) => Promise<Account | undefined>;
  readonly now: () => number;
  /** Records the outcome of each read. */
  readonly watch: WatchStore;
};

/** Time limit of a read from the accounts store. */
const READ_LIMIT_MS = 2_000;
const MAX_ACCOUNTS = 100_000;
const AGES = {
  agingMs: 20_000, // refreshed in the background from this age on, so that a busy key never waits
  staleMs: 30_000, // a revoked key is refused from this age on
  expiredMs: 600_000, // limit for the last known account while the store is down
};
const RETRY_MS = 5_000;
/**
 * Time after a failed read during which a stale account is used without waiting. Long enough for a retry that times out:
 * a key that is used every other second starts one in time, so its requests never wait during an outage.
 */
const OUTAGE_MS = RETRY_MS + 2 * READ_LIMIT_MS;

/** Creates an empty cache. */
export function createAccountCache({ readAccount, now, watch }: AccountCacheOptions): AccountCache {
  const accounts = createFreshValues<Callers>({
    max: MAX_ACCOUNTS,
    load: async (id) => toCallers(id, await watch(() => withReadLimit(readAccount(id)))),
    now,
    freshness: (_callers, ageMs) => freshnessByAge(ageMs, AGES),
    retryMs: RETRY_MS,
    outageMs: OUTAGE_MS,
  });
  return {
    peek: accounts.peek,
    read: (id, maxAgeMs) => accounts.read(id, maxAgeMs).catch(throwRefusal),
  };
}

/** Limits the time that a request waits for the accounts store. */
export function withReadLimit<T>(work: Promise<T>): Promise<T> {
  return withTimeLimit(work, READ_LIMIT_MS, noAnswerFrom('the accounts store'));
}

/**
 * Throws the error for a request whose account could not be read: GatewayError 'store-unavailable', or the error itself
 * for a damaged document, because retrying does not help.
 */
export function throwRefusal(error: unknown): never {
  throw isDamage(error) ? error : new GatewayError('store-unavailable', { cause: error });
}

function toCallers(id: string, account: Account | undefined): Callers {
  if (account === undefined) return new Map();
  const grants = grantsOf(account);
  const active = Object.entries(account.keys).filter(([, key]) => key.revoked_at === null);
  return new Map(active.map(([keyId]) => [keyId, { keyId, account: id, grants }]));
}
