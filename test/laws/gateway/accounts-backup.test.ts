import fc from 'fast-check';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { grantsOf } from '../../../gateway/core/accounts/account.js';
import { OperatorError } from '../../../gateway/core/exit-codes.js';
import { GatewayError } from '../../../gateway/core/problems.js';
import { exportAccounts } from '../../../gateway/io/backup/export-accounts.js';
import type { SavedAccount } from '../../../gateway/io/backup/saved-account.js';
import { accountKey } from '../../../schemas/account-key.js';
import {
  copyStore,
  importAt,
  isAccepted,
  openAccountsAt,
  readTexts,
} from '../../support/gateway/accounts-scene.js';
import { expectSame } from '../../support/jest/expect-same.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';

const LIVES = Number(process.env['CRD_SEEDS'] ?? '60');
const HOUR = 3_600_000;
const START_MS = Date.parse('2026-08-01T00:00:00Z');
const ACCOUNTS = ['a', 'b', 'c'] as const;

const account = fc.constantFrom(...ACCOUNTS);
const nth = fc.nat(30);
/** What people, operators and disasters do to the accounts. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('create' as const), account }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('revoke' as const), nth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      account,
      days: fc.integer({ min: -1, max: 60 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      hours: fc.constantFrom(1, 20, 24 * 50, 24 * 95),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('export' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      nth,
      revokesKeys: fc.boolean(),
      stopAt: fc.nat(40),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Key = { readonly account: string; readonly id: string; readonly key: string };
/** An export, with the keys that were revoked and those that were active when it was made. */
type Backup = {
  readonly accounts: readonly SavedAccount[];
  readonly revoked: readonly Key[];
  readonly active: readonly Key[];
};

/** A store with what happened to it. `revoked` are the keys of whose revocation the store or an imported backup knew. */
function createLife() {
  return {
    store: createMemoryStore(),
    nowMs: START_MS,
    keys: [] as Key[],
    revoked: new Set<Key>(),
    backups: [] as Backup[],
    tally: { revokedSince: 0, restored: 0, killed: 0 },
  };
}
type Life = ReturnType<typeof createLife>;

/** Ignores that an account has five keys, does not list a key any more, or has no grant to end. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof GatewayError || error instanceof OperatorError)) throw error;
}

async function live(life: Life, what: Step): Promise<void> {
  const accounts = openAccountsAt(life.store, life.nowMs);
  switch (what.kind) {
    case 'create': {
      const created = await accounts
        .createKey(what.account, { label: null, needsGrant: false })
        .catch(ignoreRefusal); // five keys
      if (created !== undefined) life.keys.push({ account: what.account, id: created.id, key: created.key });
      return;
    }
    case 'revoke': {
      const key = life.keys[what.nth % life.keys.length];
      if (key === undefined) return;
      const isRevoked = await accounts.revokeKey(key.account, key.id).catch(ignoreRefusal); // not listed any more
      if (isRevoked !== undefined) life.revoked.add(key);
      return;
    }
    case 'grant': {
      const until = new Date(life.nowMs + what.days * 24 * HOUR).toISOString().replace('.000Z', 'Z');
      await accounts
        .grant(what.account, { plan: 'research', chain: null, until, reason: 'test' })
        .catch(ignoreRefusal); // nothing to end
      return;
    }
    case 'wait':
      life.nowMs += what.hours * HOUR;
      return;
    case 'export':
      life.backups.push({
        accounts: (await exportAccounts(life.store)).accounts,
        revoked: [...life.revoked],
        active: await activeKeys(life.store, life),
      });
      return;
    case 'lose':
      life.store = createMemoryStore();
      life.revoked.clear();
      return;
    case 'import':
      await importBackup(life, what);
  }
}

async function activeKeys(store: ObjectStore, { keys, nowMs }: Life): Promise<Key[]> {
  const accounts = openAccountsAt(store, nowMs);
  const active = [];
  for (const each of keys) if (await isAccepted(accounts, each.key, each.id)) active.push(each);
  return active;
}

/** Imports a backup three times, once with a kill, and checks the results. */
async function importBackup(
  life: Life,
  { nth: n, revokesKeys, stopAt }: Extract<Step, { kind: 'import' }>,
): Promise<void> {
  const backup = life.backups[n % life.backups.length];
  if (backup === undefined) return;
  const { store, nowMs, tally } = life;
  const before = await copyStore(store);
  const activeBefore = await activeKeys(store, life);
  await importAt(store, nowMs, backup.accounts, revokesKeys);
  const after = await readTexts(store);

  await importAt(store, nowMs + HOUR, backup.accounts, revokesKeys);
  expectSame(await readTexts(store), after);

  const interrupted = await copyStore(before);
  const killed = createStoppingStore(interrupted, stopAt + 1, stopAt % 2 === 0 ? 'before' : 'after');
  await importAt(killed.store, nowMs, backup.accounts, revokesKeys).catch((error: unknown) => {
    if (!(error instanceof StoppedError)) throw error;
    tally.killed += 1;
  });
  await new Promise((resolve) => setImmediate(resolve)); // until the accounts imported beside the killed one have ended
  await importAt(interrupted, nowMs, backup.accounts, revokesKeys);
  expectSame(await readTexts(interrupted), after);

  for (const key of backup.revoked) life.revoked.add(key);
  const active = await activeKeys(store, life);
  expectSame(
    active.filter((key) => life.revoked.has(key)),
    [],
  );
  expectSame(
    activeBefore.filter((key) => !life.revoked.has(key) && !active.includes(key)),
    [],
  );
  for (const key of backup.active) {
    const existed = (await before.head(accountKey(key.account))) !== undefined;
    const isExpected = existed ? activeBefore.includes(key) && !life.revoked.has(key) : !revokesKeys;
    expectSame([key.id, active.includes(key)], [key.id, isExpected]);
    if (existed && life.revoked.has(key)) tally.revokedSince += 1;
    if (!existed && isExpected) tally.restored += 1;
  }
  await checkPlans(before, store, backup);
}

/** An account that has grants keeps them, and any other gets those of the backup. */
async function checkPlans(before: ObjectStore, after: ObjectStore, { accounts }: Backup): Promise<void> {
  for (const { account: saved } of accounts) {
    const had = await openAccountsAt(before, START_MS).readAccount(saved.account);
    const has = await openAccountsAt(after, START_MS).readAccount(saved.account);
    const grants = has === undefined ? [] : grantsOf(has);
    expectSame(grants, grantsOf(had === undefined || had.grants.length === 0 ? saved : had));
  }
}

it('imports un-revoke no key and change nothing the second time, also after a kill, in any history', async () => {
  const total = { revokedSince: 0, restored: 0, killed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const life = createLife();
      for (const each of steps) await live(life, each);
      for (const name of ['revokedSince', 'restored', 'killed'] as const) total[name] += life.tally[name];
    }),
    { numRuns: LIVES, seed: 13 },
  );
  for (const count of Object.values(total)) expect(count).toBeGreaterThan(0);
}, 300_000);
