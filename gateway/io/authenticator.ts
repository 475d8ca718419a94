import { LRUCache } from 'lru-cache';
import { isEqualInConstantTime, sha256Bytes } from '../../schemas/digest.js';
import type { Account, KeyRecord } from '../../schemas/types.generated.js';
import { idOf, parseApiKey, type KeyMode } from '../core/api-key.js';
import { GatewayError } from '../core/problems.js';
import { createAccountCache, PATIENCE_MS, toRefusal, type Caller } from './account-cache.js';
import { inTime } from './within-time.js';

/** Says whose an API key is. What is cached is the digest of a key, never its text. */
export type Authenticator = {
  /** The caller of a key that is known to be valid, without waiting; `undefined` for any other. */
  readonly peek: (key: string) => Caller | undefined;
  /** The caller of a key. @throws GatewayError 'api-key-invalid', one for all reasons, or 'store-unavailable' */
  readonly authenticate: (key: string) => Promise<Caller>;
  /** The caller with what the account may read by now, not older than `maxAgeMs`: a second where absent. @throws GatewayError */
  readonly refresh: (caller: Caller, maxAgeMs?: number) => Promise<Caller>;
};

/** What an authenticator needs. */
export type AuthenticatorTerms = {
  readonly accounts: {
    readonly readKey: (keyId: string) => Promise<KeyRecord | undefined>;
    readonly readAccount: (account: string) => Promise<Account | undefined>;
  };
  readonly mode: KeyMode;
  readonly now: () => number;
  /** Told of each answer of the store: a failure, or `undefined`. */
  readonly onAnswer: (error: unknown) => void;
};

type KnownKey = { readonly digest: Uint8Array; readonly account: string };

const KEYS = 100_000;
const UNKNOWN_KEYS = 10_000;
/** How long an id that nobody has is remembered. */
const UNKNOWN_MS = 30_000;
const REFRESH_MS = 1_000;

/** An authenticator on an accounts store. Records of keys never change; accounts say which keys are active. */
export function createAuthenticator({ accounts, mode, now, onAnswer }: AuthenticatorTerms): Authenticator {
  const known = new LRUCache<string, KnownKey>({ max: KEYS });
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_KEYS });
  const reading = new Map<string, Promise<KnownKey | undefined>>();
  const cache = createAccountCache({ readAccount: accounts.readAccount, now, onAnswer });

  async function readKey(id: string): Promise<KnownKey | undefined> {
    const record = await inTime(accounts.readKey(id), PATIENCE_MS, 'the accounts store').catch(
      (error: unknown) => {
        onAnswer(error);
        throw toRefusal(error);
      },
    );
    onAnswer(undefined);
    if (record === undefined) {
      unknown.set(id, now());
      return undefined;
    }
    const key = { digest: Buffer.from(record.sha256, 'hex'), account: record.account };
    known.set(id, key);
    return key;
  }

  /** The record of a key; one read for all who ask for it meanwhile. */
  async function findKey(id: string): Promise<KnownKey | undefined> {
    const found = known.get(id);
    if (found !== undefined) return found;
    const unknownMs = now() - (unknown.get(id) ?? -Infinity);
    if (unknownMs >= 0 && unknownMs < UNKNOWN_MS) return undefined; // below 0, the clock was set back
    const read = reading.get(id) ?? readKey(id).finally(() => reading.delete(id));
    reading.set(id, read);
    return read;
  }

  async function refresh(
    { account, keyId }: Pick<Caller, 'account' | 'keyId'>,
    maxAgeMs = REFRESH_MS,
  ): Promise<Caller> {
    const caller = (await cache.read(account, maxAgeMs)).callers.get(keyId);
    if (caller === undefined) throw invalidKey();
    return caller;
  }

  return {
    peek(text) {
      const id = idOf(text); // what has the digest of a key is the key: its form need not be looked at again
      const record = known.get(id);
      if (record === undefined || !isKey(text, record)) return undefined;
      return cache.peek(record.account)?.callers.get(id);
    },
    async authenticate(text) {
      const key = parseApiKey(text, mode);
      const isNew = key !== undefined && !known.has(key.id); // its account may have been read just before it was made
      const record = key && (await findKey(key.id));
      if (key === undefined || record === undefined || !isKey(text, record)) throw invalidKey();
      const listed = (await cache.read(record.account, isNew ? 0 : undefined)).callers.get(key.id);
      return listed ?? refresh({ account: record.account, keyId: key.id }); // it may be newer than what was read
    },
    refresh,
  };
}

function isKey(text: string, { digest }: KnownKey): boolean {
  return isEqualInConstantTime(sha256Bytes(text), digest);
}

/** One for every reason, so that a caller learns nothing of which keys there are. */
function invalidKey(): GatewayError {
  return new GatewayError('api-key-invalid', { headers: { 'WWW-Authenticate': 'ApiKey' } });
}
