import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { SILENT } from '../../../generator/run/progress.js';
import { GC_KEY } from '../../../schemas/paths.js';
import { readAliasSequence } from '../../../generator/state/published-state.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import {
  createStoreWithClock,
  leaveOrphans,
  publishDaily,
  seriesOf,
} from '../../support/stores/store-with-clock.js';
import { runGc, rollBack, setHold } from '../../support/release/operate.js';
import { readCurrent } from '../../support/release/read-release.js';
import { prepareSeries, publishPrepared, publishSeries } from '../../support/release/publish-series.js';
import { editSeries } from '../../support/release/random-series.js';
import { createRandom } from '../../support/random/seeded.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { readCommittedDays } from '../../support/stores/store-snapshot.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createTurns } from '../../support/stores/turns.js';

/** Number of seeded interleavings. */
const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '60') / 6);
const AS_OF = '2022-01-09T00:00:00Z';
const restated = editSeries(seriesOf(5), 'tx_count', '2022-01-02', 12_345);
const acceptance = { reason: 'upstream said so' };

type Operator = (store: ObjectStore) => Promise<unknown>;

const publish: Operator = (store) => publishSeries(store, { inputs: [seriesOf(5)], asOf: AS_OF });
const restate: Operator = (store) => publishSeries(store, { inputs: [restated], asOf: AS_OF, acceptance });
const goBack: Operator = (store) =>
  rollBack(store, { to: '2022-01-04.000001', reason: 'a bad day', asOf: AS_OF });
const hold: Operator = (store) => setHold(store, 'under review', AS_OF);
const { signal } = new AbortController();
const repair: Operator = (store) => repairStore(store, { inputs: [seriesOf(4)], progress: SILENT, signal });
const copy: Operator = async (store) => {
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

/** Allowed exits of an operator that loses a race: it may also read objects that garbage collection has just deleted. */
const LOSSES = ['conflict', 'held', 'damaged'];

async function play(operator: Operator, store: ObjectStore): Promise<string> {
  try {
    await operator(store);
    return 'done';
  } catch (error) {
    if (error instanceof GeneratorError && LOSSES.includes(error.exit)) return error.exit;
    throw error;
  }
}

let prepared: MemoryCopies;
let preparedAtMs: number;
beforeAll(async () => {
  const { store, clock } = createStoreWithClock();
  await publishDaily({ store, clock }, 2);
  await leaveOrphans({ store, clock }, 5, AS_OF);
  prepared = await createMemoryCopies(store);
  preparedAtMs = clock.nowMs + MIN_GRACE_MS + 1;
});

/** Returns a store with two releases, and the orphans of a run that stopped days ago, before it published what `publish` does. */
function prepare(): Promise<ObjectStore> {
  return prepared.create({ nowMs: preparedAtMs });
}

it.each<[string, readonly Operator[]]>([
  ['two rollbacks, a hold and a publisher', [goBack, goBack, hold, publish]],
  [
    'two publishers, a rollback, garbage collection, a repair and a copy',
    [publish, restate, goBack, runGc, repair, copy],
  ],
])(
  'concurrent operators leave a sound store: %s',
  async (_name, operators) => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const store = await prepare();
      const turns = createTurns(createRandom(seed));
      const playing = operators.map((operator) => play(operator, turns.join(store)));
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

it('garbage collection never deletes an orphan that a concurrent publication uses', async () => {
  const ends = new Set<string>();
  for (let seed = 1; seed <= 2 * SEEDS; seed += 1) {
    const store = await prepare();
    const planned = await prepareSeries(store, { inputs: [seriesOf(5)], asOf: AS_OF });
    const turns = createTurns(createRandom(seed));
    let announce = (): void => undefined;
    const announced = new Promise<void>((resolve) => (announce = resolve));
    // Garbage collection reads without turns until it has the lease. From then on both take turns.
    const collecting = interceptStore(store, async ({ name, key }, run) => {
      if (key === GC_KEY) announce();
      if (key === GC_KEY || name === 'head' || name === 'delete') await turns.wait();
      return run();
    });
    const publishPlanned: Operator = (joined) => publishPrepared(joined, planned, AS_OF);
    const playing = [play(runGc, collecting), announced.then(() => play(publishPlanned, turns.join(store)))];
    await turns.run(playing);
    ends.add((await Promise.all(playing)).join(' '));
    const { faults } = await verifyStore(store, { deep: false });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }
  expect([...ends].sort()).toEqual(expect.arrayContaining(['done conflict']));
}, 600_000);
