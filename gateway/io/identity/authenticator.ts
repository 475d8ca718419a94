import { isEqualInConstantTime, sha256Bytes } from '../../../schemas/digest.js';
import type { Account, KeyRecord } from '../../../schemas/types.generated.js';
import { idOf, KEY_CHALLENGE, parseApiKey, type KeyMode } from '../../core/access/api-key.js';
import { GatewayError } from '../../core/problems.js';
import {
  createAccountCache,
  throwRefusal,
  withReadLimit,
  type Caller,
  type Callers,
} from '../accounts/account-cache.js';
import type { WatchStore } from '../accounts/store-health.js';
import { createBoundedCache } from '../timing/bounded-cache.js';
import { createFreshValues } from '../timing/fresh-values.js';
import { freshnessByAge } from '../timing/freshness.js';

/** Identifies callers by their API keys. It caches the digests of keys, never their text. */
export type Authenticator = {
  /** Returns the caller of a key that is known to be valid; `undefined` if the accounts store has to be read first. */
  readonly peek: (key: string) => Caller | undefined;
  /** Returns whether the key's record is in memory and need not be looked up. The key may be revoked. */
  readonly isKnown: (key: string) => boolean;
  /** Returns the caller of a key. @throws GatewayError 'api-key-invalid', the same for every reason, or 'store-unavailable'. */
  readonly authenticate: (key: string) => Promise<Caller>;
  /** Returns the caller with grants not older than `maxAgeMs`, one second by default. @throws GatewayError */
  readonly refresh: (caller: Caller, maxAgeMs?: number) => Promise<Caller>;
  /** Refuses a revoked key from now on, even if a cached account or a running read has it as active. */
  readonly refuse: (keyId: string) => void;
};

/** Options for `createAuthenticator`. */
type AuthenticatorOptions = {
  readonly accounts: {
    readonly readKey: (keyId: string) => Promise<KeyRecord | undefined>;
    readonly readAccount: (account: string) => Promise<Account | undefined>;
  };
  readonly mode: KeyMode;
  readonly now: () => number;
  /** Records the outcome of each read from the store. */
  readonly watch: WatchStore;
};

type KnownKey = { readonly digest: Uint8Array; readonly account: string };

const MAX_KEYS = 100_000;
const MAX_UNKNOWN_KEYS = 10_000;
/** Beyond it, the oldest refusals are forgotten: their accounts have been read again by then. */
const MAX_REFUSED_KEYS = 100_000;
/** Age from which an unknown key id is looked up again. */
const UNKNOWN_MS = 30_000;
const UNKNOWN_AGES = { agingMs: UNKNOWN_MS, staleMs: UNKNOWN_MS, expiredMs: UNKNOWN_MS };
const REFRESH_MS = 1_000;

/** Creates an authenticator. Key records never change, so they are cached; the account lists which keys are active. */
export function createAuthenticator({ accounts, mode, now, watch }: AuthenticatorOptions): Authenticator {
  const keys = createBoundedCache<KnownKey>(MAX_KEYS);
  // Apart from `keys`, so that guessed ids cannot displace the keys that are in use.
  const lookups = createFreshValues<KnownKey | undefined>({
    max: MAX_UNKNOWN_KEYS,
    load: async (id) => toKnownKey(await watch(() => withReadLimit(accounts.readKey(id)))),
    now,
    freshness: (key, ageMs) => (key === undefined ? freshnessByAge(ageMs, UNKNOWN_AGES) : 'fresh'),
    retryMs: 0,
  });
  const cache = createAccountCache({ readAccount: accounts.readAccount, now, watch });
  const refused = createBoundedCache<object>(MAX_REFUSED_KEYS);

  function findCaller(callers: Callers | undefined, keyId: string): Caller | undefined {
    return refused.has(keyId) ? undefined : callers?.get(keyId);
  }

  async function findKey(id: string): Promise<KnownKey | undefined> {
    const key = keys.get(id);
    if (key !== undefined) return key;
    const found = await lookups.read(id).catch(throwRefusal);
    if (found !== undefined) keys.set(id, found);
    return found;
  }

  async function refresh(
    { account, keyId }: Pick<Caller, 'account' | 'keyId'>,
    maxAgeMs = REFRESH_MS,
  ): Promise<Caller> {
    const caller = findCaller(await cache.read(account, maxAgeMs), keyId);
    if (caller === undefined) throw invalidKey();
    return caller;
  }

  return {
    peek(text) {
      const id = idOf(text); // only the digest proves the key, so its form is not checked here
      const record = keys.get(id);
      if (record === undefined || !isKey(text, record)) return undefined;
      return findCaller(cache.peek(record.account), id);
    },
    isKnown(text) {
      const record = keys.get(idOf(text));
      return record !== undefined && isKey(text, record);
    },
    async authenticate(text) {
      const key = parseApiKey(text, mode);
      const isNew = key !== undefined && !keys.has(key.id);
      const record = key && (await findKey(key.id));
      if (key === undefined || record === undefined || !isKey(text, record)) throw invalidKey();
      const callers = await cache.read(record.account, isNew ? 0 : undefined); // the cached account may be older than a new key
      return findCaller(callers, key.id) ?? refresh({ account: record.account, keyId: key.id });
    },
    refresh,
    refuse: (keyId) => void refused.set(keyId, {}),
  };
}

function toKnownKey(record: KeyRecord | undefined): KnownKey | undefined {
  return record && { digest: Buffer.from(record.sha256, 'hex'), account: record.account };
}

function isKey(text: string, { digest }: KnownKey): boolean {
  return isEqualInConstantTime(sha256Bytes(text), digest);
}

/** Returns one error for every reason, so that a caller cannot find out which keys exist. */
function invalidKey(): GatewayError {
  return new GatewayError('api-key-invalid', {
    headers: { 'WWW-Authenticate': `${KEY_CHALLENGE}, error="invalid_token"` },
  });
}
