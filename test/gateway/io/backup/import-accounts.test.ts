import { exportAccounts } from '../../../../gateway/io/backup/export-accounts.js';
import type { ImportedAccount } from '../../../../gateway/io/backup/import-accounts.js';
import type { SavedAccount } from '../../../../gateway/io/backup/saved-account.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { accountKey } from '../../../../schemas/account-key.js';
import { keyRecordKey, keyUsageKey } from '../../../../schemas/paths.js';
import {
  copyStore,
  importAt,
  isAccepted,
  openAccountsAt,
  readTexts,
} from '../../../support/gateway/accounts-scene.js';
import { createRandom } from '../../../support/random/seeded.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { createStoppingStore, StoppedError } from '../../../support/stores/stopping-store.js';
import { createTurns } from '../../../support/stores/turns.js';

const SEEDS = Number(process.env['CRD_SEEDS'] ?? '60');
const NOW = Date.parse('2026-08-20T12:00:00Z');
const DAY = 86_400_000;
const KEY = { label: null, needsGrant: false };
const GRANT = { plan: 'research', chain: null, until: '2026-12-31T00:00:00Z', reason: 'invoice' } as const;
const META = { contentType: 'application/json', cacheControl: 'no-store' };

let store: ObjectStore;
let saved: readonly SavedAccount[];
/** An active key of account `a` in the snapshot, and one that was revoked before. */
let active: { readonly key: string; readonly id: string };
let revoked: { readonly key: string; readonly id: string };
beforeEach(async () => {
  store = createMemoryStore();
  const accounts = openAccountsAt(store, NOW);
  await accounts.grant('a', GRANT);
  active = await accounts.createKey('a', KEY);
  revoked = await accounts.createKey('a', KEY);
  await accounts.revokeKey('a', revoked.id);
  await accounts.createKey('b', KEY);
  await accounts.recordUsage(active.id, '2026-08-19');
  saved = (await exportAccounts(store)).accounts;
});

const accepts = (at: ObjectStore, { key, id }: typeof active): Promise<boolean> =>
  isAccepted(openAccountsAt(at, NOW), key, id);

const resultOf = (id: string, imported: readonly ImportedAccount[]): ImportedAccount | undefined =>
  imported.find(({ account }) => account === id);

describe('into an empty store', () => {
  it('restores every document, except the records of revoked keys', async () => {
    const fresh = createMemoryStore();
    const imported = await importAt(fresh, NOW + DAY, saved);
    const { [keyRecordKey(revoked.id)]: _omitted, ...expected } = await readTexts(store);
    expect(await readTexts(fresh)).toEqual(expected);
    expect(imported.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    expect([await accepts(fresh, active), await accepts(fresh, revoked)]).toEqual([true, false]);
  });

  it('restores no active key and no record if asked to revoke the keys', async () => {
    const fresh = createMemoryStore();
    await importAt(fresh, NOW + DAY, saved, true);
    expect(await accepts(fresh, active)).toBe(false);
    const account = await openAccountsAt(fresh, NOW).readAccount('a');
    expect(account?.keys[active.id]?.revoked_at).toBe('2026-08-21T12:00:00Z');
    expect(account?.grants).toHaveLength(1);
    expect(Object.keys(await readTexts(fresh)).filter((key) => key.startsWith('keys/'))).toEqual([]);
  });

  it('gives the same after a kill before or after any operation and another run', async () => {
    const expected = createMemoryStore();
    await importAt(expected, NOW, saved);
    const all = createStoppingStore(createMemoryStore(), Infinity, 'before');
    await importAt(all.store, NOW, saved);
    expect(all.count()).toBeGreaterThan(10);
    for (let at = 1; at <= all.count(); at += 1) {
      for (const when of ['before', 'after'] as const) {
        const fresh = createMemoryStore();
        const killed = importAt(createStoppingStore(fresh, at, when).store, NOW, saved);
        await expect(killed).rejects.toThrow(StoppedError);
        await new Promise((resolve) => setImmediate(resolve)); // operations that had started end
        await importAt(fresh, NOW + DAY, saved);
        expect([at, when, await readTexts(fresh)]).toEqual([at, when, await readTexts(expected)]);
      }
    }
  });
});

describe('into a store with accounts', () => {
  it('changes nothing when nothing changed', async () => {
    const before = await readTexts(store);
    const imported = await importAt(store, NOW + DAY, saved);
    expect(await readTexts(store)).toEqual(before);
    expect(imported.map(({ outcome }) => outcome)).toEqual(['kept', 'kept']);
  });

  it('keeps a key revoked that was revoked after the export, and keeps what is newer', async () => {
    const later = openAccountsAt(store, NOW + DAY);
    await later.revokeKey('a', active.id);
    const newer = await later.createKey('a', KEY);
    await later.grant('a', { ...GRANT, until: '2026-08-01T00:00:00Z' });
    await later.recordUsage(active.id, '2026-08-20');
    const before = await readTexts(store);
    await importAt(store, NOW + 2 * DAY, saved);
    expect(await readTexts(store)).toEqual(before);
    expect([await accepts(store, active), await accepts(store, newer)]).toEqual([false, true]);
  });

  it('imports a key as revoked, and without its record, when its tombstone has expired', async () => {
    const later = openAccountsAt(store, NOW + DAY);
    await later.revokeKey('a', active.id);
    await openAccountsAt(store, NOW + 100 * DAY).createKey('a', KEY);
    expect((await later.readAccount('a'))?.keys[active.id]).toBeUndefined();
    const imported = resultOf('a', await importAt(store, NOW + 100 * DAY, saved));
    expect(imported?.keys.get(active.id)).toBe('revoked');
    expect((await later.readAccount('a'))?.keys[active.id]?.revoked_at).toBe('2026-11-28T12:00:00Z');
    expect(await later.readKey(active.id)).toBeUndefined();
    expect(await accepts(store, active)).toBe(false);
  });

  it('revokes a key that the snapshot has as revoked, after an older account was restored', async () => {
    const older = Buffer.from((await store.get(accountKey('a')))?.bytes ?? []);
    await openAccountsAt(store, NOW + DAY).revokeKey('a', active.id);
    const { accounts: newer } = await exportAccounts(store);
    const etag = (await store.head(accountKey('a')))?.etag ?? null;
    await store.compareAndSwap(accountKey('a'), older, etag, META);
    expect(await accepts(store, active)).toBe(true);
    const imported = resultOf('a', await importAt(store, NOW + 2 * DAY, newer));
    expect([imported?.outcome, imported?.keys.get(active.id)]).toEqual(['merged', 'revoked']);
    expect(await accepts(store, active)).toBe(false);
  });

  it('does not restore a deleted record, and reports its key as broken until it is revoked', async () => {
    await store.delete(keyRecordKey(active.id));
    const before = await readTexts(store);
    const imported = resultOf('a', await importAt(store, NOW, saved));
    expect([imported?.outcome, imported?.brokenIds]).toEqual(['kept', [active.id]]);
    expect(await readTexts(store)).toEqual(before);
    expect(await accepts(store, active)).toBe(false);
    await openAccountsAt(store, NOW).revokeKey('a', active.id);
    expect(resultOf('a', await importAt(store, NOW, saved))?.brokenIds).toEqual([]);
  });

  it('keeps an expired key invalid after an older account was restored', async () => {
    const older = Buffer.from((await store.get(accountKey('a')))?.bytes ?? []);
    await openAccountsAt(store, NOW + DAY).revokeKey('a', active.id);
    await openAccountsAt(store, NOW + 100 * DAY).createKey('a', KEY);
    const etag = (await store.head(accountKey('a')))?.etag ?? null;
    await store.compareAndSwap(accountKey('a'), older, etag, META);
    const imported = resultOf('a', await importAt(store, NOW + 100 * DAY, saved));
    expect(imported?.brokenIds).toEqual([active.id]);
    expect(await accepts(store, active)).toBe(false);
  });

  it('never replaces the record of another key with the same id', async () => {
    const fresh = createMemoryStore();
    const other = JSON.stringify({ account: 'other', schema: 'key-record/1', sha256: '0'.repeat(64) });
    await fresh.putIfAbsent(keyRecordKey(active.id), Buffer.from(other), META);
    const imported = resultOf('a', await importAt(fresh, NOW, saved));
    expect(imported?.keys.get(active.id)).toBe('skipped');
    expect((await readTexts(fresh))[keyRecordKey(active.id)]).toBe(other);
    expect(await accepts(fresh, active)).toBe(false);
  });

  it('records no use of the key of another account with the same id', async () => {
    const fresh = createMemoryStore();
    const other = JSON.stringify({ account: 'other', schema: 'key-record/1', sha256: '0'.repeat(64) });
    await fresh.putIfAbsent(keyRecordKey(active.id), Buffer.from(other), META);
    for (const run of ['first', 'second']) {
      await importAt(fresh, NOW, saved);
      expect([run, Object.keys(await readTexts(fresh))]).toEqual([
        run,
        expect.not.arrayContaining([keyUsageKey(active.id)]),
      ]);
    }
  });

  it('records the use of a revoked key, also if its record is damaged', async () => {
    const fresh = createMemoryStore();
    await fresh.putIfAbsent(keyRecordKey(revoked.id), Buffer.from('{'), META);
    const used = saved.map((each) =>
      each.account.account === 'a' ? { ...each, usage: { [revoked.id]: '2026-08-18' } } : each,
    );
    await importAt(fresh, NOW, used);
    expect((await readTexts(fresh))[keyUsageKey(revoked.id)]).toContain('2026-08-18');
  });

  it('refuses a damaged account, names it, and says how to continue', async () => {
    const etag = (await store.head(accountKey('a')))?.etag ?? null;
    await store.compareAndSwap(accountKey('a'), Buffer.from('{'), etag, META);
    await expect(importAt(store, NOW, saved)).rejects.toMatchObject({
      exit: 'damaged',
      message: `${accountKey('a')} is not JSON. Restore it from a backup or an older version. Or remove it, so that the snapshot creates it again. Then repeat the import; other accounts may be imported already.`,
    });
    await store.delete(accountKey('a'));
    expect(await importAt(store, NOW, saved)).toContainEqual(
      expect.objectContaining({ account: 'a', outcome: 'created' }),
    );
  });
});

it('loses no revocation and no key of a gateway that runs beside it', async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const shared = await copyStore(store);
    const turns = createTurns(createRandom(seed));
    const gateway = openAccountsAt(turns.join(shared), NOW);
    const created = gateway.createKey('a', KEY);
    const works = [
      gateway.revokeKey('a', active.id),
      gateway.grant('c', GRANT),
      created,
      importAt(turns.join(shared), NOW, saved),
    ];
    await turns.run(works);
    await Promise.all(works);
    expect([seed, await accepts(shared, active), await accepts(shared, await created)]).toEqual([
      seed,
      false,
      true,
    ]);
  }
});
