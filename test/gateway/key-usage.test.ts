import { createKeyUsageLog } from '../../gateway/io/key-usage.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { watchStore, type StoreOperation } from '../fixtures/watched-store.js';

const KEY = 'Example1';

/** A store with a list of what is asked of it. */
function watched(): { readonly store: ObjectStore; readonly seen: StoreOperation['name'][] } {
  const seen: StoreOperation['name'][] = [];
  const store = watchStore(createMemoryStore(), (operation, run) => {
    seen.push(operation.name);
    return run();
  });
  return { store, seen };
}

it('is written once per day, and read of many keys at once', async () => {
  const { store, seen } = watched();
  const log = createKeyUsageLog(store);
  for (let n = 0; n < 3; n += 1) await log.recordUsage(KEY, '2026-08-20');
  expect(seen).toEqual(['get', 'head', 'compareAndSwap', 'get', 'get']);
  await log.recordUsage(KEY, '2026-08-21');
  expect(await log.readUsage([KEY, 'Unknown1'])).toEqual(new Map([[KEY, '2026-08-21']]));
});

it('is left to one of many who write at once', async () => {
  const memory = createMemoryStore();
  const outcomes: unknown[] = [];
  const store = watchStore(memory, async (operation, run) => {
    const outcome = await run();
    if (operation.name === 'compareAndSwap') outcomes.push(outcome);
    return outcome;
  });
  const log = createKeyUsageLog(store);
  await Promise.all(Array.from({ length: 20 }, () => log.recordUsage(KEY, '2026-08-20')));
  expect(outcomes.filter((outcome) => outcome !== 'conflict')).toHaveLength(1);
  expect(await log.readUsage([KEY])).toEqual(new Map([[KEY, '2026-08-20']]));
});

it('writes nothing that another gateway has written, and never goes back', async () => {
  const { store, seen } = watched();
  await createKeyUsageLog(store).recordUsage(KEY, '2026-08-21');
  const other = createKeyUsageLog(store);
  seen.length = 0;
  await other.recordUsage(KEY, '2026-08-21');
  await createKeyUsageLog(store).recordUsage(KEY, '2026-08-19');
  expect(seen).toEqual(['get', 'get']);
  expect(await other.readUsage([KEY])).toEqual(new Map([[KEY, '2026-08-21']]));
});
