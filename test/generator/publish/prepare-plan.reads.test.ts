import { cutSeries, type InputSeries } from '../../../generator/core/input/input-series.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { bundlePath, manifestPath, objectKey } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { readStartingPoint } from '../../../generator/state/published-state.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const DAYS = 40;
const whole = {
  base: randomSeries({ chain: 'base', seed: 1, days: DAYS }),
  ethereum: randomSeries({ chain: 'ethereum', seed: 2, days: DAYS }),
};
const shorter = (series: InputSeries): InputSeries => cutSeries(series, series.dates.at(-2) ?? '');
const yesterday = [shorter(whole.base), shorter(whole.ethereum)];
const AS_OF = '2022-02-15T00:00:00Z';
const LATER = '2022-02-16T00:00:00Z';

/** A store with a release of yesterday's input, its record, and the keys that are read from now on. */
async function published() {
  const memory = createMemoryStore();
  await publishSeries(memory, { inputs: yesterday, asOf: AS_OF });
  const record = await readRecord(memory);
  const read = new Set<string>();
  const store = interceptStore(memory, ({ name, key }, run) => {
    if (name === 'get') read.add(key);
    return run();
  });
  return { store, record, read };
}

async function readRecord(store: ObjectStore): Promise<ReleaseRecord> {
  const { state } = await readStartingPoint(store, []);
  if (state === undefined) throw new Error('nothing is published');
  return state.record;
}

const keyOf = (entry: { readonly sha256: string } | undefined): string => objectKey(entry?.sha256 ?? '');

it('a run without new data reads no manifest and no bundle', async () => {
  const { store, record, read } = await published();
  const { chains } = await publishSeries(store, { inputs: yesterday, asOf: LATER });
  expect(chains.base).toMatchObject({ outcome: 'unchanged', unchanged: DAYS - 1 });
  const listed = Object.values({ ...record.manifests, ...record.bundles }).map(keyOf);
  expect(listed.filter((key) => read.has(key))).toEqual([]);
});

it('a new date of one chain reads the manifests of this chain only', async () => {
  const { store, record, read } = await published();
  await publishSeries(store, { inputs: [whole.base, shorter(whole.ethereum)], asOf: LATER });
  expect(read).toContain(keyOf(record.manifests[manifestPath('gold', 'base')]));
  expect(read).not.toContain(keyOf(record.manifests[manifestPath('gold', 'ethereum')]));
});

it('a new date is published with the same bytes from published bundles as from history', async () => {
  const { store } = await published();
  const other = (await published()).store;
  await publishSeries(store, { inputs: Object.values(whole), asOf: LATER });
  await publishSeries(other, { inputs: Object.values(whole), asOf: LATER, full: true });
  const [{ bundles, manifests }, rebuilt] = [await readRecord(store), await readRecord(other)];
  expect({ bundles, manifests }).toEqual({ bundles: rebuilt.bundles, manifests: rebuilt.manifests });
});

it('a lost bundle does not stop the next date, whose bundle holds the same days', async () => {
  const { store, record } = await published();
  await store.delete(keyOf(record.bundles[bundlePath('gold', 'base', '365d')]));
  await publishSeries(store, { inputs: Object.values(whole), asOf: LATER });
  const other = (await published()).store;
  await publishSeries(other, { inputs: Object.values(whole), asOf: LATER });
  expect((await readRecord(store)).bundles).toEqual((await readRecord(other)).bundles);
});

/** Returns a series without its first dates. */
function dropFirst(series: InputSeries, count: number): InputSeries {
  return {
    ...series,
    dates: series.dates.slice(count),
    present: series.present.slice(count),
    metrics: Object.fromEntries(
      Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(count)]),
    ),
  };
}

it('a later start of the input is a drop, which no acceptance takes', async () => {
  const { store } = await published();
  const inputs = [dropFirst(shorter(whole.base), 2)];
  const { chains } = await publishSeries(store, { inputs, asOf: LATER, acceptance: { reason: 'a test' } });
  expect(chains.base).toMatchObject({
    outcome: 'refused',
    refusal: { drops: [{ kind: 'later-start', published: '2022-01-01', input: '2022-01-03' }] },
  });
});

it('a start after withdrawn dates is no drop', async () => {
  const store = createMemoryStore();
  const late = dropFirst(whole.base, 2);
  const { revision } = await publishSeries(store, { inputs: [late], asOf: AS_OF });
  const acceptance = { reason: 'older dates' };
  await publishSeries(store, { inputs: [whole.base], asOf: AS_OF, acceptance });
  const now = '2022-02-15T12:00:00Z';
  await rollBack(store, { to: revision ?? '', reason: 'a test', asOf: now });
  await setHold(store, null, now);
  const { chains } = await publishSeries(store, { inputs: [late], asOf: LATER });
  expect(chains.base?.outcome).toBe('unchanged');
});
