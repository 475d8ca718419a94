import { setImmediate as turn } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Account, KeyRecord } from '../../../schemas/types.generated.js';
import { createApiKey, type ApiKey } from '../../../gateway/core/access/api-key.js';
import { createAuthenticator, type Authenticator } from '../../../gateway/io/identity/authenticator.js';
import { createStoreHealth } from '../../../gateway/io/accounts/store-health.js';
import { createRandom } from '../random/seeded.js';

/** State of the accounts store: it answers immediately, slowly, with an error, or never. */
export type StoreState = 'up' | 'slow' | 'failing' | 'hanging';

/** Response time of a slow store, in milliseconds. */
export const SLOW_MS = 1_500;

/** Accounts in memory behind an authenticator, with a list of its reads. */
export type FakeAccounts = {
  readonly authenticator: Authenticator;
  /** Returns whether the store is considered reachable. */
  readonly isReachable: () => boolean;
  state: StoreState;
  /** The reads, such as `key Abcdefgh` and `account a`. */
  readonly asked: string[];
  readonly errors: unknown[];
  readonly createKey: (account: string) => ApiKey;
  readonly revoke: (account: string, keyId: string) => void;
  readonly grant: (account: string) => void;
  /** Replaces the record of an id by the record of another key. */
  readonly replaceRecord: (keyId: string, text: string) => void;
};

/** Creates fake accounts; `now` is the clock of the authenticator. */
export function createFakeAccounts(now: () => number): FakeAccounts {
  const accounts = new Map<string, Account>();
  const records = new Map<string, KeyRecord>();
  const random = createRandom(1);
  const asked: string[] = [];
  const errors: unknown[] = [];
  const instant = (): string => new Date(now()).toISOString().replace(/\.\d+/, '');

  async function answer<T>(what: string, read: () => T): Promise<T> {
    asked.push(what);
    const found = read();
    if (fake.state === 'failing') throw new Error('the store is down');
    if (fake.state === 'hanging') await new Promise(() => undefined);
    if (fake.state === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    await turn();
    return found;
  }
  const accountOf = (id: string): Account =>
    accounts.get(id) ?? { schema: 'account/1', account: id, keys: {}, grants: [] };

  const health = createStoreHealth((error) => errors.push(error));
  const fake: FakeAccounts = {
    isReachable: health.isReachable,
    state: 'up',
    asked,
    errors,
    authenticator: createAuthenticator({
      accounts: {
        readKey: (id) => answer(`key ${id}`, () => records.get(id)),
        readAccount: (id) => answer(`account ${id}`, () => accounts.get(id)),
      },
      mode: 'test',
      now,
      watch: health.watch,
    }),
    createKey(id) {
      const key = createApiKey('test', (size) => Uint8Array.from({ length: size }, () => random() * 256));
      const account = accountOf(id);
      const listed = { label: null, created_at: instant(), revoked_at: null };
      records.set(key.id, { schema: 'key-record/1', sha256: sha256Hex(key.text), account: id });
      accounts.set(id, { ...account, keys: { ...account.keys, [key.id]: listed } });
      return key;
    },
    revoke(id, keyId) {
      const account = accountOf(id);
      const key = account.keys[keyId];
      if (key === undefined) throw new Error('there is no such key');
      accounts.set(id, { ...account, keys: { ...account.keys, [keyId]: { ...key, revoked_at: instant() } } });
    },
    grant(id) {
      const options = { plan: 'research', chain: null, origin: 'manual', reason: 'a test' } as const;
      const grant = { ...options, since: instant(), until: '2999-01-01T00:00:00Z' };
      accounts.set(id, { ...accountOf(id), grants: [grant] });
    },
    replaceRecord(keyId, text) {
      const record = records.get(keyId);
      if (record !== undefined) records.set(keyId, { ...record, sha256: sha256Hex(text) });
    },
  };
  return fake;
}
