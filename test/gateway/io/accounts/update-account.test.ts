import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '../../../../schemas/types.generated.js';
import { updateAccount } from '../../../../gateway/io/accounts/update-account.js';
import { StoreError, type ObjectStore } from '../../../../infra/store/object-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';

const GRANT = {
  plan: 'research',
  chain: null,
  since: '2026-08-01T00:00:00Z',
  until: '2026-09-01T00:00:00Z',
  reason: 'trial',
  origin: 'manual',
} as const;
const addGrant = (account: Account): Account => ({ ...account, grants: [GRANT] });

/** A store on which the first `conflicts` swaps conflict. It records each swap in `steps`. */
function storeInConflict(conflicts: number, steps: string[]): ObjectStore {
  let left = conflicts;
  return interceptStore(createMemoryStore(), (operation, run) => {
    if (operation.name !== 'compareAndSwap') return run();
    steps.push('swap');
    left -= 1;
    return left < 0 ? run() : Promise.resolve('conflict' as Awaited<ReturnType<typeof run>>); // a swap's answer
  });
}

describe('a change that conflicts with another writer', () => {
  it('is tried again only after the pause', async () => {
    const steps: string[] = [];
    const account = await updateAccount(
      {
        store: storeInConflict(2, steps),
        random: (size) => new Uint8Array(size),
        pause: async () => {
          for (let turn = 0; turn < 5; turn += 1) await nextTurn();
          steps.push('paused');
        },
      },
      'acme',
      addGrant,
    );
    expect(account.grants).toEqual([GRANT]);
    expect(steps).toEqual(['swap', 'paused', 'swap', 'paused', 'swap']);
  });

  it('pauses up to twice as long each time, at most half a second, and gives up as locked after 20 attempts', async () => {
    const steps: string[] = [];
    const pauses: number[] = [];
    const updating = updateAccount(
      {
        store: storeInConflict(Infinity, steps),
        random: (size) => new Uint8Array(size).fill(255),
        pause: (ms) => Promise.resolve(void pauses.push(ms)),
      },
      'acme',
      addGrant,
    );
    await expect(updating).rejects.toMatchObject({ code: 'locked' });
    expect(steps).toHaveLength(20);
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, ...new Array<number>(13).fill(500)]);
  });
});

it.each([new StoreError('address', 'no such bucket'), new TypeError('a bug')])(
  'throws an error that a retry cannot help at once: %s',
  async (failure) => {
    let swaps = 0;
    const store = interceptStore(createMemoryStore(), (operation, run) => {
      if (operation.name !== 'compareAndSwap') return run();
      swaps += 1;
      return Promise.reject(failure);
    });
    const random = (size: number): Uint8Array => new Uint8Array(size);
    const updating = updateAccount({ store, random, pause: () => Promise.resolve() }, 'acme', addGrant);
    await expect(updating).rejects.toBe(failure);
    expect(swaps).toBe(1);
  },
);
