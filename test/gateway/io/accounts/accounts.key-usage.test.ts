import { createKeyUsageLog } from '../../../../gateway/io/accounts/accounts.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { interceptStore, type StoreOperation } from '../../../support/stores/intercept-store.js';

const KEY = 'Example1';

/** Returns a store and the list of its operations. */
function watched(): { readonly store: ObjectStore; readonly seen: StoreOperation['name'][] } {
  const seen: StoreOperation['name'][] = [];
  const store = interceptStore(createMemoryStore(), (operation, run) => {
    seen.push(operation.name);
    return run();
  });
  return { store, seen };
}

it('writes once per day, and reads many keys at once', async () => {
  const { store, seen } = watched();
  const log = createKeyUsageLog(store);
  for (let n = 0; n < 3; n += 1) await log.recordUsage(KEY, '2026-08-20');
  expect(seen).toEqual(['get', 'head', 'compareAndSwap', 'get', 'get']);
  await log.recordUsage(KEY, '2026-08-21');
  expect(await log.readUsage([KEY, 'Unknown1'])).toEqual(new Map([[KEY, '2026-08-21']]));
});

it('lets one of many concurrent writers succeed', async () => {
  const memory = createMemoryStore();
  const outcomes: unknown[] = [];
  const store = interceptStore(memory, async (operation, run) => {
    const outcome = await run();
    if (operation.name === 'compareAndSwap') outcomes.push(outcome);
    return outcome;
  });
  const log = createKeyUsageLog(store);
  await Promise.all(Array.from({ length: 20 }, () => log.recordUsage(KEY, '2026-08-20')));
  expect(outcomes.filter((outcome) => outcome !== 'conflict')).toHaveLength(1);
  expect(await log.readUsage([KEY])).toEqual(new Map([[KEY, '2026-08-20']]));
});

it('writes nothing that another gateway has written, and never an earlier day', async () => {
  const { store, seen } = watched();
  await createKeyUsageLog(store).recordUsage(KEY, '2026-08-21');
  const other = createKeyUsageLog(store);
  seen.length = 0;
  await other.recordUsage(KEY, '2026-08-21');
  await createKeyUsageLog(store).recordUsage(KEY, '2026-08-19');
  expect(seen).toEqual(['get', 'get']);
  expect(await other.readUsage([KEY])).toEqual(new Map([[KEY, '2026-08-21']]));
});
