import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../../generator/core/generator-error.js';
import { LEAST_GRACE_MS } from '../../generator/io/collection-terms.js';
import { copyStore } from '../../generator/io/copy-store.js';
import { SILENT } from '../../generator/io/progress.js';
import { COLLECTION_KEY } from '../../schemas/paths.js';
import { readAliasSequence } from '../../generator/io/published-state.js';
import { repairStore } from '../../generator/io/repair-store.js';
import { verifyStore } from '../../generator/io/verify-store.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import {
  createClockedStore,
  leaveOrphans,
  publishDaily,
  seriesOf,
  type ClockedStore,
} from '../fixtures/clocked-store.js';
import { collect, readCurrent, rollBack, setHold } from '../fixtures/operate.js';
import { prepareSeries, publishPrepared, publishSeries } from '../fixtures/publish-series.js';
import { editSeries } from '../fixtures/random-series.js';
import { createRandom } from '../fixtures/seeded.js';
import { readCommittedDays } from '../fixtures/store-snapshot.js';
import { createTurns, watchStore } from '../fixtures/watched-store.js';

/** Number of seeded interleavings; CI runs more. */
const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '60') / 6);
const AS_OF = '2022-01-09T00:00:00Z';
const restated = editSeries(seriesOf(5), 'tx_count', '2022-01-02', 12_345);
const acceptance = { reason: 'upstream said so' };

type Actor = (store: ObjectStore) => Promise<unknown>;

const publish: Actor = (store) => publishSeries(store, { inputs: [seriesOf(5)], asOf: AS_OF });
const restate: Actor = (store) => publishSeries(store, { inputs: [restated], asOf: AS_OF, acceptance });
const goBack: Actor = (store) =>
  rollBack(store, { to: '2022-01-04.000001', reason: 'a bad day', asOf: AS_OF });
const hold: Actor = (store) => setHold(store, 'under review', AS_OF);
const { signal } = new AbortController();
const repair: Actor = (store) => repairStore(store, { inputs: [seriesOf(4)], progress: SILENT, signal });
const copy: Actor = async (store) => {
  const target = createMemoryStore();
  await copyStore({
    from: store,
    to: target,
    progress: SILENT,
    signal,
    clock: () => 0,
  });
  expect((await verifyStore(target, { deep: false })).faults).toEqual([]);
};

/** How an actor may end that was not the one to win, or met another at work. */
const LOSSES = ['conflict', 'held', 'damaged'];

async function play(actor: Actor, store: ObjectStore): Promise<string> {
  try {
    await actor(store);
    return 'done';
  } catch (error) {
    if (error instanceof GeneratorError && LOSSES.includes(error.exit)) return error.exit;
    throw error;
  }
}

/** Two releases, and what a run left three days ago that was about to publish what `publish` will. */
async function prepare(): Promise<ClockedStore> {
  const clocked = createClockedStore();
  await publishDaily(clocked, 2);
  await leaveOrphans(clocked, 5, AS_OF);
  clocked.clock.nowMs += LEAST_GRACE_MS + 1;
  return clocked;
}

it.each<[string, readonly Actor[]]>([
  ['two publishers and a collector', [publish, restate, collect]],
  ['a publisher, a rollback and a collector', [publish, goBack, collect]],
  ['two rollbacks, a hold and a publisher', [goBack, goBack, hold, publish]],
  ['a publisher, a repair and a rollback', [publish, repair, goBack]],
  ['a publisher, a copy and a collector', [publish, copy, collect]],
  ['everybody at once', [publish, restate, goBack, collect, repair, copy]],
])(
  'leaves a sound store behind, operation by operation: %s',
  async (_name, actors) => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { store } = await prepare();
      const turns = createTurns(createRandom(seed));
      const playing = actors.map((actor) => play(actor, turns.join(store)));
      await turns.run(playing);
      for (const end of await Promise.all(playing)) ends.add(end);
      const { faults } = await verifyStore(store, { deep: false });
      expect({ seed, faults }).toEqual({ seed, faults: [] });
      expect(await readAliasSequence(store)).toBe((await readCurrent(store)).sequence);
      expect(await readCommittedDays(store)).toBeGreaterThan(0);
    }
    expect(ends).toContain('done');
  },
  600_000,
);

it('never collects what a publication beside it comes to rely on, even when that lay there as garbage', async () => {
  const ends = new Set<string>();
  for (let seed = 1; seed <= 2 * SEEDS; seed += 1) {
    const { store } = await prepare();
    const planned = await prepareSeries(store, { inputs: [seriesOf(5)], asOf: AS_OF });
    const turns = createTurns(createRandom(seed));
    let announce = (): void => undefined;
    const announced = new Promise<void>((resolve) => (announce = resolve));
    // The collector reads alone; from its announcement on, both take turns.
    const collecting = watchStore(store, async ({ name, key }, run) => {
      if (key === COLLECTION_KEY) announce();
      if (key === COLLECTION_KEY || name === 'head' || name === 'delete') await turns.wait();
      return run();
    });
    const publishPlanned: Actor = (joined) => publishPrepared(joined, planned, AS_OF);
    const playing = [
      play(collect, collecting),
      announced.then(() => play(publishPlanned, turns.join(store))),
    ];
    await turns.run(playing);
    ends.add((await Promise.all(playing)).join(' '));
    const { faults } = await verifyStore(store, { deep: false });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }
  expect([...ends].sort()).toEqual(expect.arrayContaining(['done conflict']));
}, 600_000);
