import { LISTED_KEYS } from '../../../../gateway/core/accounts/account.js';
import { exportAccounts } from '../../../../gateway/io/backup/export-accounts.js';
import { canonicalJson } from '../../../../schemas/canonical-json.js';
import { accountKey } from '../../../../schemas/account-key.js';
import { keyRecordKey, keyUsageKey } from '../../../../schemas/paths.js';
import type { Account } from '../../../../schemas/types.generated.js';
import { copyStore, openAccountsAt, readTexts } from '../../../support/gateway/accounts-scene.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const KEY = { label: null, needsGrant: false };
const META = { contentType: 'application/json', cacheControl: 'no-store' };

it('contains accounts, the records of active keys and days of use, but no orphaned record', async () => {
  const store = createMemoryStore();
  const accounts = openAccountsAt(store, NOW);
  const [{ id }, { id: revokedId }] = [
    await accounts.createKey('a', KEY),
    await accounts.createKey('a', KEY),
  ];
  await accounts.recordUsage(id, '2026-08-19');
  await accounts.revokeKey('a', revokedId);
  const orphan = JSON.stringify({ schema: 'key-record/1', sha256: '0'.repeat(64), account: 'a' });
  await store.putIfAbsent(keyRecordKey('Orphan01'), Buffer.from(orphan), META);
  expect(await exportAccounts(store)).toEqual({
    accounts: [
      {
        account: await accounts.readAccount('a'),
        records: { [id]: await accounts.readKey(id) },
        usage: { [id]: '2026-08-19' },
      },
    ],
    brokenKeys: [],
  });
});

it('has each account as it was at one moment, with all its records, whenever a gateway replaces a key', async () => {
  const base = createMemoryStore();
  const old = await openAccountsAt(base, NOW - 1_000).createKey('a', KEY);
  const setUp = openAccountsAt(base, NOW);
  for (let n = 1; n < LISTED_KEYS; n += 1) await setUp.revokeKey('a', (await setUp.createKey('a', KEY)).id); // now, the oldest revoked key expires for each new one
  let operations = 1;
  for (let at = 1; at <= operations; at += 1) {
    const memory = await copyStore(base);
    const versions = new Set([(await readTexts(base))[accountKey('a')]]);
    const recorded = interceptStore(memory, async ({ name, key }, run) => {
      const result = await run();
      if (name === 'compareAndSwap')
        versions.add(Buffer.from((await memory.get(key))?.bytes ?? []).toString());
      return result;
    });
    const gateway = openAccountsAt(recorded, NOW);
    let count = 0;
    const interrupted = interceptStore(recorded, async (_operation, run) => {
      count += 1;
      if (count !== at) return run();
      await gateway.revokeKey('a', old.id);
      await gateway.createKey('a', KEY);
      await gateway.createKey('b', KEY);
      expect(await gateway.readKey(old.id)).toBeUndefined();
      return run();
    });
    const { accounts, brokenKeys } = await exportAccounts(interrupted);
    operations = Math.max(operations, count);
    expect([at, brokenKeys]).toEqual([at, []]);
    expect(accounts.length).toBeGreaterThan(0);
    for (const { account, records } of accounts) {
      expect([at, versions.has(canonicalJson(account))]).toEqual([at, true]);
      expect(Object.keys(records).sort()).toEqual(activeIds(account));
    }
  }
  expect(operations).toBeGreaterThan(3);
});

function activeIds({ keys }: Account): string[] {
  return Object.keys(keys)
    .filter((id) => keys[id]?.revoked_at === null)
    .sort();
}

it('reports an active key without a record instead of failing', async () => {
  const store = createMemoryStore();
  const accounts = openAccountsAt(store, NOW);
  const { id } = await accounts.createKey('a', KEY);
  await store.delete(keyRecordKey(id));
  expect(await exportAccounts(store)).toMatchObject({ accounts: [{ records: {} }], brokenKeys: [id] });
});

it('ignores a damaged day of use, and refuses a damaged account', async () => {
  const store = createMemoryStore();
  const accounts = openAccountsAt(store, NOW);
  const { id } = await accounts.createKey('a', KEY);
  await store.putIfAbsent(keyUsageKey(id), Buffer.from('{'), META);
  expect(await exportAccounts(store)).toMatchObject({ accounts: [{ usage: {} }] });
  const moved = Buffer.from(JSON.stringify(await accounts.readAccount('a')));
  await store.putIfAbsent(accountKey('b'), moved, META);
  await expect(exportAccounts(store)).rejects.toMatchObject({
    exit: 'damaged',
    message: expect.stringContaining(`${accountKey('b')} is the document of another account`),
  });
});
