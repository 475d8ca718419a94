import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GC_KEY } from '../../../schemas/paths.js';
import { SILENT } from '../../../generator/run/progress.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import { copyStore, type CopyResult } from '../../../generator/upkeep/copy/copy-store.js';
import { runGc } from '../../support/release/operate.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import {
  createStoreWithClock,
  expectSound,
  publishDaily,
  type StoreWithClock,
} from '../../support/stores/store-with-clock.js';

const { signal } = new AbortController();
const clock = (): number => 0;

let source: StoreWithClock;
beforeAll(async () => {
  source = createStoreWithClock();
  await publishDaily(source, 36);
}, 300_000);

/** Copies to a store that has the clock of the source. */
function copy(to: ObjectStore, apply?: boolean): Promise<CopyResult> {
  const prune = apply === undefined ? {} : { prune: { apply, graceMs: MIN_GRACE_MS, clock } };
  return copyStore({ from: source.store, to, clock, progress: SILENT, signal, ...prune });
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) if (key !== GC_KEY) keys.push(key);
  return keys;
}

it('copy --prune leaves in the target exactly what gc leaves in the source', async () => {
  const target = createMemoryStore(() => source.clock.nowMs);
  await copy(target);
  const all = await keysOf(source.store);
  source.clock.nowMs += MIN_GRACE_MS + 1;
  expect(await copy(target, false)).toMatchObject({ outcome: 'unchanged', pruned: { outcome: 'dry-run' } });
  expect(await keysOf(target)).toEqual(all);

  const { pruned } = await copy(target, true);
  expect(pruned).toMatchObject({
    outcome: 'deleted',
    garbage: { objects: all.length - (await keysOf(target)).length },
  });
  expect(pruned?.garbage.objects).toBeGreaterThan(50);
  await expectSound(target);

  expect(await copy(target, true)).toMatchObject({
    outcome: 'unchanged',
    pruned: { garbage: { objects: 0 } },
  });
  const fresh = createMemoryStore(() => source.clock.nowMs);
  await copy(fresh, true);
  await runGc(source.store);
  expect(await keysOf(target)).toEqual(await keysOf(source.store));
  expect(await keysOf(fresh)).toEqual(await keysOf(source.store));
}, 300_000);
