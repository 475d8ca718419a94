import { createMemoryStore } from '../../support/stores/memory-store.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PREFIX, publicKey, summaryPath } from '../../../schemas/paths.js';
import { SILENT } from '../../../generator/run/progress.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { rollBack } from '../../support/release/operate.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { META } from '../../contract/store-use.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

it('reports a failure after the commit as such, and the next run refreshes the public copies', async () => {
  const memory = createMemoryStore();
  const options = {
    inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 3 })],
    asOf: '2022-02-01T00:00:00Z',
  };
  const failing = interceptStore(memory, async ({ name, key }, run) => {
    if (name === 'compareAndSwap' && key.startsWith(PUBLIC_PREFIX))
      throw new StoreError('unavailable', 'no answer');
    return run();
  });
  await expect(publishSeries(failing, options)).rejects.toMatchObject({
    code: 'unavailable',
    message:
      '2022-02-01.000001 is published, but its public copies were not refreshed; the next run tries again: no answer',
  });
  expect((await publishSeries(memory, options)).outcome).toBe('unchanged');
  expect((await verifyStore(memory, { deep: false })).faults).toEqual([]);
});

const { signal } = new AbortController();
/** Of so many stores that killed runs leave, one is examined. */
const EVERY = 4;

describe('a run that is killed after its commit', () => {
  const series = (days: number): readonly ReturnType<typeof randomSeries>[] => [
    randomSeries({ chain: 'arbitrum', seed: 1, days }),
  ];
  const publish = (days: number) => (store: ObjectStore) =>
    publishSeries(store, { inputs: series(days), asOf: `2022-02-0${days - 2}T00:00:00Z` });
  const withBase = (store: ObjectStore): Promise<unknown> =>
    publishSeries(store, {
      inputs: [...series(4), randomSeries({ chain: 'base', seed: 1, days: 3 })],
      asOf: '2022-02-02T12:00:00Z',
    });

  /** Plays runs one after the other, each complete. */
  async function prepare(runs: readonly ((store: ObjectStore) => Promise<unknown>)[]): Promise<MemoryCopies> {
    const store = createMemoryStore();
    for (const run of runs) await run(store);
    return createMemoryCopies(store);
  }

  /** Returns the stores that a run leaves when it is killed after its commit, before or after any write. */
  async function killEverywhere(
    before: MemoryCopies,
    run: (store: ObjectStore) => Promise<unknown>,
  ): Promise<ObjectStore[]> {
    const store = await before.create();
    const left: ObjectStore[] = [];
    let isCommitted = false;
    const watched = interceptStore(store, async ({ name, key }, operate) => {
      const result = await operate();
      isCommitted ||= name === 'compareAndSwap' && key === POINTER_KEY;
      if (isCommitted && (name === 'compareAndSwap' || name === 'delete'))
        left.push(await (await createMemoryCopies(store)).create());
      return result;
    });
    await run(watched);
    return left.slice(0, -1); // the last write ends the refresh
  }

  it.each<
    [string, readonly ((store: ObjectStore) => Promise<unknown>)[], (store: ObjectStore) => Promise<unknown>]
  >([
    ['the first publish', [], publish(3)],
    ['a publish', [publish(3)], publish(4)],
    ['a publish with a new chain', [publish(3), publish(4)], withBase],
    [
      'a rollback that withdraws a chain',
      [publish(3), publish(4), withBase],
      (store) => rollBack(store, { to: '2022-02-02.000001', reason: 'x', asOf: '2022-02-03T00:00:00Z' }),
    ],
  ])(
    'leaves no damage, only lagging copies, which repair refreshes: %s',
    async (_name, runs, run) => {
      const left = await killEverywhere(await prepare(runs), run);
      let lagging = 0;
      for (const store of left.filter((_, i) => i % EVERY === 0)) {
        const verification = await verifyStore(store, { deep: false });
        expect(verification.faults).toEqual([]);
        lagging = Math.max(lagging, verification.lagging.length);
        expect(await repairStore(store, { progress: SILENT, signal })).toMatchObject({ faults: [] });
        expect(await verifyStore(store, { deep: false })).toMatchObject({ faults: [], lagging: [] });
      }
      expect(left.length).toBeGreaterThan(10);
      expect(lagging).toBeGreaterThan(5);
    },
    300_000,
  );

  it('does not excuse copies that belong to no release, or to one before the last refresh', async () => {
    const before = await prepare([publish(3), publish(4)]);
    const oldest = await (await prepare([publish(3)])).create();
    const [left] = await killEverywhere(before, publish(5));
    if (left === undefined) throw new Error('no run was killed');
    const key = publicKey(summaryPath('arbitrum'));
    const stale = (await oldest.get(key))?.bytes ?? new Uint8Array();
    for (const bytes of [Buffer.from('corrupt'), stale, undefined]) {
      const store = await (await createMemoryCopies(left)).create();
      await store.delete(key);
      if (bytes !== undefined) await store.putIfAbsent(key, bytes, META);
      expect((await verifyStore(store, { deep: false })).faults).toEqual([
        { key, message: bytes === undefined ? 'is missing' : 'does not match the release' },
      ]);
    }
    await left.putIfAbsent(`${PUBLIC_PREFIX}evil`, Buffer.from('x'), META);
    expect((await verifyStore(left, { deep: false })).faults).toMatchObject([
      { key: `${PUBLIC_PREFIX}evil` },
    ]);
  });

  it('cannot leave aliases.json missing after an earlier refresh, or ahead of the release: both are damage', async () => {
    const before = await prepare([publish(3), publish(4)]);
    for (const mark of [undefined, '{"schema":"aliases/1","sequence":3}']) {
      const store = await before.create();
      await store.delete(ALIASES_KEY);
      if (mark !== undefined) await store.putIfAbsent(ALIASES_KEY, Buffer.from(mark), META);
      const { faults, lagging } = await verifyStore(store, { deep: false });
      expect({ keys: faults.map(({ key }) => key), lagging }).toEqual({ keys: [ALIASES_KEY], lagging: [] });
    }
  });
});
