import { commitCollection, readCollection } from '../../../generator/collect/collection-store.js';
import { readLedgers } from '../../../generator/input/collected-ledgers.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { addDays } from '../../../schemas/dates.js';
import type { LedgerLine, MetricName } from '../../../schemas/types.generated.js';
import { createRandom } from '../../support/random/seeded.js';
import { prepareSeries, publishPrepared } from '../../support/release/publish-series.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const SEEDS = Number(process.env['CRD_SEEDS'] ?? '12');
const STEPS = 12;
const FIRST = '2025-01-01';
const METRICS = ['tx_count', 'active_addresses'] as const satisfies MetricName[];

/** A collection, a store that publishes it, and what a plain table says about both. */
type World = {
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly random: () => number;
  /** Values in the collection and in the store, by `place`. */
  readonly accepted: Map<string, number>;
  readonly published: Map<string, number>;
  days: number;
};

const below = ({ random }: World, end: number): number => Math.floor(random() * end);
const place = (date: string, metric: MetricName): string => `${date} ${metric}`;

async function commit(
  world: World,
  line: Pick<LedgerLine, 'date' | 'values' | 'rule' | 'reason'>,
): Promise<void> {
  const { collection } = world;
  const whole: LedgerLine = {
    chain: 'base',
    source: 'files',
    lineage: '0'.repeat(64),
    accepted_at: '2025-02-01T06:15:00Z',
    ...line,
  };
  const change = { lines: new Map([['base', [whole]]] as const), lineages: [], states: new Map() };
  await commitCollection(collection, await readCollection(collection), change, {
    asOfMs: Date.parse('2025-02-01T06:15:00Z'),
    sources: { files: { name: 'files', licence: 'CC0' } },
  });
  for (const [metric, value] of Object.entries(line.values))
    world.accepted.set(place(line.date, metric as MetricName), Number(value));
}

/** Accepts a new day; of one metric only, sometimes. */
async function addDay(world: World): Promise<void> {
  const date = addDays(FIRST, world.days);
  world.days += 1;
  const metrics = world.days > 1 && world.random() < 0.3 ? METRICS.slice(0, 1) : METRICS;
  const values = Object.fromEntries(metrics.map((metric) => [metric, `${1 + below(world, 1000)}`]));
  await commit(world, { date, values, rule: 'day', reason: null });
}

/** Revises or fills in a value of a day. */
async function revise(world: World): Promise<void> {
  const date = addDays(FIRST, below(world, world.days));
  const metric = METRICS[below(world, METRICS.length)] ?? 'tx_count';
  const values = { [metric]: `${1 + below(world, 1000)}` };
  await commit(world, { date, values, rule: 'revision', reason: `revised ${metric}` });
}

async function read(
  world: World,
): Promise<{ series: InputSeries; recorded: ReadonlyMap<'base', readonly LedgerLine[]> }> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(world.collection));
  const { series } = await readInput({ folder, asOfMs: Date.parse('2025-03-01T00:00:00Z') });
  const pointer = folder.collection?.();
  const [base] = series;
  if (pointer === undefined || base === undefined) throw new Error('no collection');
  return {
    series: base,
    recorded: (await readLedgers(folder, pointer)) as ReadonlyMap<'base', readonly LedgerLine[]>,
  };
}

/** Changes a value of the input that the ledger knows nothing of, and returns its place. */
function tamper(world: World, { dates, metrics }: InputSeries): string {
  const t = below(world, dates.length);
  const column = metrics.tx_count as (number | null)[]; // a test may change what it read
  column[t] = (column[t] ?? 0) + 1;
  return place(dates[t] ?? '', 'tx_count');
}

/** Publishes, sometimes with a value that was not recorded; the plain table says what must happen. */
async function publish(world: World, step: number): Promise<string> {
  const { series, recorded } = await read(world);
  const edited = world.random() < 0.3 ? tamper(world, series) : undefined;
  const isRestated =
    edited !== undefined && series.dates.indexOf(edited.slice(0, 10)) < countPublishedDates(world);
  const asOf = `2025-02-${String(step + 10)}T06:00:00Z`;
  const prepared = await prepareSeries(world.store, { inputs: [series], asOf, recorded });
  const report = await publishPrepared(world.store, prepared, asOf);
  expect([report.outcome === 'refused', step]).toEqual([isRestated, step]);
  if (isRestated || edited !== undefined) return isRestated ? 'refused' : 'edited';
  const isRevised = [...world.published].some(([at, value]) => world.accepted.get(at) !== value);
  for (const [at, value] of world.accepted) world.published.set(at, value);
  const [newest] = prepared.plan.release?.record.changes.reason?.split('; ') ?? [];
  if (isRevised) expect(newest).toMatch(/^revised |^source completed/);
  return isRevised ? 'accepted' : 'published';
}

function countPublishedDates({ published }: World): number {
  return new Set([...published.keys()].map((at) => at.slice(0, 10))).size;
}

it('a restatement is accepted exactly when the ledger recorded each of its changes', async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world: World = {
      collection: createMemoryStore(),
      store: createMemoryStore(),
      random: createRandom(seed),
      accepted: new Map(),
      published: new Map(),
      days: 0,
    };
    await addDay(world);
    for (let step = 0; step < STEPS; step += 1) {
      const choice = world.random();
      if (choice < 0.25) await addDay(world);
      else if (choice < 0.6) await revise(world);
      else {
        const outcome = await publish(world, step);
        seen.add(outcome);
        if (outcome === 'edited') break; // its first publication has a value that no ledger knows
      }
    }
  }
  expect([...seen].sort()).toEqual(['accepted', 'edited', 'published', 'refused']);
}, 600_000);
