import { createMemoryStore } from '../../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import type { InputSeries } from '../../../../generator/core/input/input-series.js';
import { planRelease } from '../../../../generator/core/release/plan-release.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { readStartingPoint } from '../../../../generator/state/published-state.js';
import { verifyStore } from '../../../../generator/verify/verify-store.js';
import { rollBack, setHold } from '../../../support/release/operate.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../../support/release/random-series.js';

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

/** Returns the series without its first date. */
function dropFirst(series: InputSeries): InputSeries {
  const columns = Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(1)]);
  return {
    ...series,
    dates: series.dates.slice(1),
    present: series.present.slice(1),
    metrics: Object.fromEntries(columns),
  };
}

async function replace(store: ObjectStore, key: string, text: string): Promise<void> {
  const etag = (await store.head(key))?.etag ?? null;
  await store.compareAndSwap(key, Buffer.from(text), etag, meta);
}

it('a release without a chain does not update the fingerprint of the code that last compared it', async () => {
  const { state } = await readStartingPoint(await published(), ['arbitrum', 'base']);
  if (state?.record.chains.base === undefined) throw new Error('base was not published');
  const older = { ...state.record.chains.base, writers_sha256: 'f'.repeat(64) };
  const previous = { ...state, record: { ...state.record, chains: { ...state.record.chains, base: older } } };
  const request = { previous, asOfMs: Date.parse(SECOND), texts: await readProductTexts() };
  const without = planRelease({ ...request, inputs: [longer] }).release;
  expect(without?.record.chains.base?.writers_sha256).toBe('f'.repeat(64));
  const compared = planRelease({ ...request, inputs: [longer, base] }).release;
  expect(compared?.record.chains.base?.writers_sha256).toBe(state.record.chains.arbitrum?.writers_sha256);
});

it('an aliases.json with a sequence that is too high is a fault until the next run corrects it', async () => {
  const store = await published();
  await replace(store, 'aliases.json', '{"schema":"aliases/1","sequence":9}');
  expect((await verifyStore(store, { deep: false })).faults).toMatchObject([{ key: 'aliases.json' }]);
  await publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  expect((await verifyStore(store, { deep: true })).faults).toEqual([]);
});

it('a missing pointer beside an aliases.json is damage, not a first publication', async () => {
  const store = await published();
  await store.delete('current.json');
  const again = publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  await expect(again).rejects.toMatchObject({ exit: 'damaged' });
});

it('a metric without its published values is a drop, even if a new date has a value', async () => {
  const store = await published();
  const column = (longer.metrics.active_addresses ?? []).map((value, t) => (t < 20 ? null : value));
  const emptied = { ...longer, metrics: { ...longer.metrics, active_addresses: column } };
  const report = await publishSeries(store, {
    inputs: [emptied],
    asOf: SECOND,
    acceptance: { reason: 'cannot be accepted' },
  });
  expect(report.chains.arbitrum).toMatchObject({
    outcome: 'refused',
    refusal: { kind: 'drop', drops: [{ kind: 'gone-column', metric: 'active_addresses' }] },
  });
});

it('a refused restatement names the changed dates, and separately the added and the withdrawn ones', async () => {
  const store = createMemoryStore();
  const { dates } = longer;
  const publish = (input: InputSeries, asOf: string) => publishSeries(store, { inputs: [input], asOf });
  const { revision } = await publish(dropFirst(short), FIRST);
  await publish(dropFirst(longer), SECOND);
  await rollBack(store, { to: revision ?? '', reason: 'a bad day', asOf: '2022-03-03T00:00:00Z' });
  await setHold(store, null, '2022-03-03T00:00:00Z');
  const changed = editSeries(longer, 'tx_count', dates[4] ?? '', 7);
  const { chains } = await publish(changed, '2022-03-04T00:00:00Z');
  const from = longer.metrics.tx_count?.[4];
  expect(chains.arbitrum).toMatchObject({
    outcome: 'refused',
    updated_through: dates[19],
    new: 1,
    restated: 20,
    unchanged: 0,
    refusal: {
      kind: 'restatement',
      restatement: {
        dates: 20,
        first_date: dates[1],
        last_date: dates[20],
        input_dates: [dates[4]],
        added_dates: [dates[0]],
        withdrawn_dates: [dates[20]],
        metrics: [{ metric: 'tx_count', dates: 1, largest: { date: dates[4], from, to: 7 } }],
      },
    },
  });
});

it('verification reports unlisted public files, and damaged files of earlier releases', async () => {
  const store = await published();
  const first = (await readStartingPoint(store, [])).state?.record;
  await publishSeries(store, { inputs: [longer, base], asOf: SECOND });
  await replace(store, 'public/api/v1/files/gold/base/latest.json', '{}');
  const old = first?.bundles['/api/v1/files/gold/arbitrum/7d/latest.json']?.sha256 ?? '';
  await replace(store, `objects/sha256/${old}`, '{}');
  const { faults } = await verifyStore(store, { deep: false });
  expect(faults.map(({ key }) => key).sort()).toEqual([
    `objects/sha256/${old}`,
    `objects/sha256/${old}`, // wrong size and wrong digest
    'public/api/v1/files/gold/base/latest.json',
  ]);
});
