import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../../../gateway/core/problems.js';
import { createAccounts, type Accounts } from '../../../../gateway/io/accounts/accounts.js';
import { DOCUMENT_META } from '../../../../gateway/io/accounts/account-documents.js';
import { createAuthenticator } from '../../../../gateway/io/identity/authenticator.js';
import { StoreError, type ObjectStore } from '../../../../infra/store/object-store.js';
import { accountKey } from '../../../../schemas/account-key.js';
import { keyRecordKey, keyUsageKey } from '../../../../schemas/paths.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const DAY_MS = 86_400_000;
const ACCOUNT = 'acme';
const KEY = { label: null, needsGrant: false, isLimited: true };

let nowMs = NOW;
beforeEach(() => {
  nowMs = NOW;
});

function open(store: ObjectStore): Accounts {
  const random = (size: number): Uint8Array => randomBytes(size);
  return createAccounts(store, { now: () => nowMs, random, mode: 'test', pause: () => Promise.resolve() });
}

async function namesIn(store: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of store.list('')) names.push(key);
  return names.sort();
}

/** Returns the account of a key for a gateway that has just started, or the code of the problem. */
async function outcomeOf(store: ObjectStore, key: string): Promise<unknown> {
  const accounts = open(store);
  return createAuthenticator({ accounts, mode: 'test', now: () => nowMs, watch: (operation) => operation() })
    .authenticate(key)
    .then(
      ({ account }) => account,
      (error: unknown) => (error instanceof GatewayError ? error.code : error),
    );
}

async function replace(store: ObjectStore, key: string, bytes: Uint8Array): Promise<void> {
  await store.compareAndSwap(key, bytes, (await store.head(key))?.etag ?? null, DOCUMENT_META);
}

it('keys that are made and revoked in a loop leave a limited number of records', async () => {
  const store = createMemoryStore();
  const accounts = open(store);
  const kept = await accounts.createKey(ACCOUNT, KEY);
  for (let made = 0, refused = 0; made < 200; nowMs += 600_000) {
    try {
      const { id } = await accounts.createKey(ACCOUNT, KEY);
      await accounts.recordUsage(id, '2026-08-20');
      await accounts.revokeKey(ACCOUNT, id);
      made += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate-limited' });
      refused += 1;
    }
    expect(refused).toBeLessThan(2_000); // otherwise the loop might never end
  }
  const names = await namesIn(store);
  expect(names.filter((name) => name.startsWith('keys/'))).toHaveLength(25);
  expect(names.filter((name) => name.startsWith('usage/'))).toHaveLength(24);
  expect(await outcomeOf(store, kept.key)).toBe(ACCOUNT);
});

it('simultaneous creations that are refused leave no records', async () => {
  const store = createMemoryStore();
  await Promise.allSettled(Array.from({ length: 12 }, () => open(store).createKey(ACCOUNT, KEY)));
  const listed = Object.keys((await open(store).readAccount(ACCOUNT))?.keys ?? {});
  expect(listed).toHaveLength(5);
  expect(await namesIn(store)).toEqual([accountKey(ACCOUNT), ...listed.map(keyRecordKey)].sort());
});

describe('a key that was revoked ninety days ago', () => {
  let store: ObjectStore;
  let isDenied: boolean;
  let key: string;
  let id: string;
  let older: Uint8Array;

  beforeEach(async () => {
    isDenied = false;
    store = interceptStore(createMemoryStore(), async ({ name }, run) => {
      if (isDenied && name === 'delete') throw new StoreError('unavailable', 'access denied');
      return run();
    });
    const accounts = open(store);
    ({ key, id } = await accounts.createKey(ACCOUNT, KEY));
    await accounts.recordUsage(id, '2026-08-20');
    older = (await store.get(accountKey(ACCOUNT)))?.bytes ?? Buffer.from('');
    await accounts.revokeKey(ACCOUNT, id);
    nowMs += 90 * DAY_MS;
  });

  it('leaves nothing after the next change of the keys, and stays invalid', async () => {
    expect(await outcomeOf(store, key)).toBe('api-key-invalid');
    const next = await open(store).createKey(ACCOUNT, KEY);
    expect(await namesIn(store)).toEqual([accountKey(ACCOUNT), keyRecordKey(next.id)]);
    expect(Object.keys((await open(store).readAccount(ACCOUNT))?.keys ?? {})).toEqual([next.id]);
    expect(await outcomeOf(store, key)).toBe('api-key-invalid');
  });

  it('stays invalid when an older document of its account is restored, in which it was active', async () => {
    await open(store).createKey(ACCOUNT, KEY);
    await replace(store, accountKey(ACCOUNT), older);
    expect(await open(store).readAccount(ACCOUNT)).toMatchObject({ keys: { [id]: { revoked_at: null } } });
    expect(await outcomeOf(store, key)).toBe('api-key-invalid');
  });

  it('stays invalid when its record is restored', async () => {
    const record = await store.get(keyRecordKey(id));
    await open(store).createKey(ACCOUNT, KEY);
    await replace(store, keyRecordKey(id), record?.bytes ?? Buffer.from(''));
    expect(await outcomeOf(store, key)).toBe('api-key-invalid');
  });

  it('stays listed as revoked while its record cannot be deleted, and keys can still be created', async () => {
    isDenied = true;
    const next = await open(store).createKey(ACCOUNT, KEY);
    expect((await open(store).readAccount(ACCOUNT))?.keys).toMatchObject({
      [id]: { revoked_at: '2026-08-20T12:00:00Z' },
      [next.id]: { revoked_at: null },
    });
    expect(await outcomeOf(store, key)).toBe('api-key-invalid');
    isDenied = false;
    await open(store).revokeKey(ACCOUNT, next.id);
    expect(Object.keys((await open(store).readAccount(ACCOUNT))?.keys ?? {})).toEqual([next.id]);
    expect(await namesIn(store)).not.toContain(keyUsageKey(id));
  });
});
