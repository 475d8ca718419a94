import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { planRelease } from '../../generator/core/release/plan-release.js';
import { readProductTexts } from '../../generator/io/product-texts.js';
import { readStartingPoint } from '../../generator/io/published-state.js';
import { verifyStore } from '../../generator/io/verify-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';

const FIRST = '2022-03-01T00:00:00Z';
const SECOND = '2022-03-02T00:00:00Z';
const meta = { contentType: 'application/json', cacheControl: 'no-cache' };
const short = randomSeries({ chain: 'arbitrum', seed: 1, days: 20 });
const longer = randomSeries({ chain: 'arbitrum', seed: 1, days: 21 });
const base = randomSeries({ chain: 'base', seed: 2, days: 20 });

async function published(): Promise<ObjectStore> {
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [short, base], asOf: FIRST });
  return store;
}

async function replace(store: ObjectStore, key: string, text: string): Promise<void> {
  const etag = (await store.head(key))?.etag ?? null;
  await store.compareAndSwap(key, Buffer.from(text), etag, meta);
}

it('a chain that a release leaves out is not taken for compared by the code of that release', async () => {
  const { state } = await readStartingPoint(await published(), ['arbitrum', 'base']);
  if (state?.record.chains.base === undefined) throw new Error('base was not published');
  const older = { ...state.record.chains.base, writers_sha256: 'f'.repeat(64) };
  const previous = { ...state, record: { ...state.record, chains: { ...state.record.chains, base: older } } };
  const request = { previous, asOfMs: Date.parse(SECOND), texts: await readProductTexts() };
  const left = planRelease({ ...request, inputs: [longer] }).release;
  expect(left?.record.chains.base?.writers_sha256).toBe('f'.repeat(64));
  const compared = planRelease({ ...request, inputs: [longer, base] }).release;
  expect(compared?.record.chains.base?.writers_sha256).toBe(state.record.chains.arbitrum?.writers_sha256);
});

it('a mark of the public copies that is too high is set right by the next run, and is a fault until then', async () => {
  const store = await published();
  await replace(store, 'aliases.json', '{"schema":"aliases/1","sequence":9}');
  expect((await verifyStore(store, { deep: false })).faults).toMatchObject([{ key: 'aliases.json' }]);
  await publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  expect((await verifyStore(store, { deep: true })).faults).toEqual([]);
});

it('a pointer that is missing beside the mark of the copies is damage, not a first publication', async () => {
  const store = await published();
  await store.delete('current.json');
  const again = publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  await expect(again).rejects.toMatchObject({ exit: 'damaged' });
});

it('a column that lost its published values is a drop, even when a new date has a value again', async () => {
  const store = await published();
  const column = (longer.metrics.active_addresses ?? []).map((value, t) => (t < 20 ? null : value));
  const emptied = { ...longer, metrics: { ...longer.metrics, active_addresses: column } };
  const report = await publishSeries(store, {
    inputs: [emptied],
    asOf: SECOND,
    acceptance: { reason: 'never to be accepted' },
  });
  expect(report.chains.arbitrum).toMatchObject({
    outcome: 'refused',
    refusal: { kind: 'drop', drops: [{ kind: 'gone-column', metric: 'active_addresses' }] },
  });
});

it('what lies below the public prefix without being named, and what an earlier release named, is verified', async () => {
  const store = await published();
  const first = (await readStartingPoint(store, [])).state?.record;
  await publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  await replace(store, 'public/api/v1/files/gold/base/latest.json', '{}');
  const old = first?.bundles['/api/v1/files/gold/arbitrum/7d/latest.json']?.sha256 ?? '';
  await replace(store, `objects/sha256/${old}`, '{}');
  const { faults } = await verifyStore(store, { deep: false });
  expect(faults.map(({ key }) => key).sort()).toEqual([
    ...[`objects/sha256/${old}`, `objects/sha256/${old}`],
    'public/api/v1/files/gold/base/latest.json',
  ]);
});
