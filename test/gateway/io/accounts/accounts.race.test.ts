import { randomBytes } from 'node:crypto';
import { ACTIVE_KEYS, grantsOf } from '../../../../gateway/core/accounts/account.js';
import { isActive } from '../../../../gateway/core/access/entitlements.js';
import { createAccounts, type Accounts, type CreatedKey } from '../../../../gateway/io/accounts/accounts.js';
import { createDirectoryStore } from '../../../../infra/store/directory/directory-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { createRandom } from '../../../support/random/seeded.js';
import { createTemporaryFolder } from '../../../support/process/temporary-folder.js';
import { createTurns } from '../../../support/stores/turns.js';

const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '60') / 2);
const NOW = Date.parse('2026-08-20T12:00:00Z');
const ACCOUNT = 'acme';
const KEY = { label: null, needsGrant: false };

function open(store: ObjectStore, pause?: () => Promise<void>): Accounts {
  const random = (size: number): Uint8Array => randomBytes(size);
  return createAccounts(store, { now: () => NOW, random, mode: 'live', ...(pause && { pause }) });
}

/** Returns the keys of several creations, and the codes of those that were refused. */
async function settle(
  works: readonly Promise<CreatedKey>[],
): Promise<{ readonly created: CreatedKey[]; readonly refusals: unknown[] }> {
  const settled = await Promise.allSettled(works);
  return {
    created: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    refusals: settled.flatMap(
      (each) => (each.status === 'rejected' ? [(each.reason as { code?: string }).code] : []), // its errors have one
    ),
  };
}

/** Expects the account to list exactly these keys, each stored by its digest. */
async function expectAllKept(accounts: Accounts, created: readonly CreatedKey[]): Promise<void> {
  const { keys = {} } = (await accounts.readAccount(ACCOUNT)) ?? {};
  expect(Object.keys(keys).sort()).toEqual(created.map(({ id }) => id).sort());
  for (const { id, key } of created) {
    expect(await accounts.readKey(id)).toMatchObject({ sha256: sha256Hex(key), account: ACCOUNT });
  }
}

describe('concurrent writers in any order', () => {
  const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);

  it('never lose a key and never exceed the limit', async () => {
    for (const seed of seeds) {
      const memory = createMemoryStore();
      const turns = createTurns(createRandom(seed));
      const works = Array.from({ length: 4 + (seed % 5) }, () =>
        open(turns.join(memory), () => Promise.resolve()).createKey(ACCOUNT, KEY),
      );
      await turns.run(works);
      const { created, refusals } = await settle(works);
      expect([seed, created.length]).toEqual([seed, Math.min(works.length, ACTIVE_KEYS)]);
      expect(new Set(refusals)).toEqual(new Set(works.length > ACTIVE_KEYS ? ['key-limit-reached'] : []));
      await expectAllKept(open(memory), created);
    }
  });

  it('never undo the changes of another: all grants, revocations and keys are kept', async () => {
    for (const seed of seeds) {
      const memory = createMemoryStore();
      const { id: old } = await open(memory).createKey(ACCOUNT, KEY);
      const turns = createTurns(createRandom(seed));
      const join = (): Accounts => open(turns.join(memory), () => Promise.resolve());
      const until = '2026-09-01T00:00:00Z';
      const grants = CHAIN_IDS.map((chain) =>
        join().grant(ACCOUNT, { plan: 'single-chain', chain, until, reason: 'trial' }),
      );
      const creations = [join().createKey(ACCOUNT, KEY), join().createKey(ACCOUNT, KEY)];
      const revoked = [join().revokeKey(ACCOUNT, old), join().revokeKey(ACCOUNT, old)];
      await turns.run([...grants, ...creations, ...revoked]);
      const account = await open(memory).readAccount(ACCOUNT);
      const { created } = await settle(creations);
      expect([seed, Object.keys(account?.keys ?? {}).sort()]).toEqual([
        seed,
        [old, ...created.map(({ id }) => id)].sort(),
      ]);
      expect(account?.keys[old]?.revoked_at).toBe('2026-08-20T12:00:00Z');
      const active = account && grantsOf(account).filter((grant) => isActive(grant, NOW));
      expect(active?.map(({ chain }) => chain).sort()).toEqual([...CHAIN_IDS].sort());
    }
  });
});

it('several writers in one directory never lose a key and never exceed the limit', async () => {
  const folder = await createTemporaryFolder();
  try {
    const works = Array.from({ length: 8 }, () =>
      open(createDirectoryStore(folder.path)).createKey(ACCOUNT, KEY),
    );
    const { created, refusals } = await settle(works);
    expect(created).toHaveLength(ACTIVE_KEYS);
    expect(refusals).toEqual(['key-limit-reached', 'key-limit-reached', 'key-limit-reached']);
    await expectAllKept(open(createDirectoryStore(folder.path)), created);
  } finally {
    await folder.dispose();
  }
});
