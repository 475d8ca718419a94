import { cutSeries, type InputSeries } from '../../../generator/core/input/input-series.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { addDays, weekdayOf } from '../../../schemas/dates.js';
import { publicKey, weeklyArchivePath } from '../../../schemas/paths.js';
import { weeklyArchivesIn } from '../../../schemas/release-paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { beginSeries, randomSeries } from '../../support/release/random-series.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

/** 2022-01-01 to 2023-01-19: the last days of the history are in a new year of ISO 8601. */
const whole = randomSeries({ chain: 'base', seed: 11, days: 384, missingCells: 0.02 });
const [LAST_YEAR, NEW_YEAR] = [weeklyArchivePath('base', '2022'), weeklyArchivePath('base', '2023')];
/** A Friday. */
const FROM = '2022-12-23';

function publish(
  store: ObjectStore,
  series: InputSeries,
  more: object = {},
): ReturnType<typeof publishSeries> {
  const asOf = `${addDays(series.dates.at(-1) ?? '', 1)}T06:00:00Z`;
  return publishSeries(store, { inputs: [series], asOf, ...more });
}

/** Returns the digests of the archives of a release by path. */
function archivesOf(record: ReleaseRecord): Record<string, string | undefined> {
  const paths = weeklyArchivesIn(Object.keys(record.public), 'base');
  return Object.fromEntries(paths.sort().map((path) => [path, record.public[path]?.sha256]));
}

const copyOf = async (store: ObjectStore, path: string): Promise<string | undefined> =>
  (await store.head(publicKey(path)))?.sha256;

let daily: ObjectStore;
const records: ReleaseRecord[] = [];
beforeAll(async () => {
  daily = createMemoryStore();
  for (let date = FROM; date <= '2023-01-12'; date = addDays(date, 1)) {
    await publish(daily, cutSeries(whole, date));
    records.push(await readCurrent(daily));
  }
}, 300_000);

it('changes with the last day of a week, and with no other day', () => {
  const changes = records.slice(1).flatMap((record, i) => {
    const before = records[i]?.public ?? {};
    const changed = weeklyArchivesIn(Object.keys(record.public), 'base').filter(
      (path) => record.public[path]?.sha256 !== before[path]?.sha256,
    );
    for (const path of changed) expect(record.public[path]?.revision).toBe(record.revision);
    return changed.map((path) => [record.chains.base?.updated_through, path]);
  });
  expect(changes).toEqual([
    ['2022-12-25', LAST_YEAR],
    ['2023-01-01', LAST_YEAR],
    ['2023-01-08', NEW_YEAR],
  ]);
  expect(changes.every(([date = '']) => weekdayOf(date) === 'Sun')).toBe(true);
});

it('is the same whether history is published day by day or at once', async () => {
  for (const through of ['2022-12-25', '2023-01-01', '2023-01-10']) {
    const store = createMemoryStore();
    await publish(store, cutSeries(whole, through));
    const record = records.find(({ chains }) => chains.base?.updated_through === through);
    expect(archivesOf(await readCurrent(store))).toEqual(record && archivesOf(record));
  }
}, 300_000);

it('is recomputed by a verification', async () => {
  expect((await verifyStore(daily, { deep: true })).faults).toEqual([]);
}, 300_000);

it('changes when a day of it is restated, in the years of the weeks that show it', async () => {
  const store = createMemoryStore();
  const series = cutSeries(whole, '2023-01-12');
  await publish(store, series);
  const before = await readCurrent(store);
  const at = series.dates.indexOf('2023-01-04');
  const tx = series.metrics.tx_count?.map((value, t) => (t === at ? 9_999_999 : value)) ?? [];
  const restated = { ...series, metrics: { ...series.metrics, tx_count: tx } };
  await publish(store, restated, { acceptance: { reason: 'a test' } });
  const after = await readCurrent(store);
  expect(archivesOf(after)[LAST_YEAR]).toBe(archivesOf(before)[LAST_YEAR]);
  expect(after.public[LAST_YEAR]?.revision).toBe(before.revision);
  expect(archivesOf(after)[NEW_YEAR]).not.toBe(archivesOf(before)[NEW_YEAR]);
}, 300_000);

it('goes back with a rollback, also the public copy of a year that is lost, and comes again', async () => {
  const target = records.find(({ chains }) => chains.base?.updated_through === '2023-01-05');
  const newest = records.at(-1);
  expect(await copyOf(daily, NEW_YEAR)).toBe(newest?.public[NEW_YEAR]?.sha256);
  const asOf = '2023-01-14T06:00:00Z';
  const back = await rollBack(daily, { asOf, to: target?.revision ?? '', reason: 'a test' });
  expect(archivesOf(back)).toEqual(target && archivesOf(target));
  expect(await copyOf(daily, NEW_YEAR)).toBeUndefined();
  expect((await verifyStore(daily, { deep: true })).faults).toEqual([]);
  await setHold(daily, null, asOf);
  await publish(daily, cutSeries(whole, '2023-01-15'), { acceptance: { reason: 'again' } });
  const again = await readCurrent(daily);
  const store = createMemoryStore();
  await publish(store, cutSeries(whole, '2023-01-15'));
  expect(archivesOf(again)).toEqual(archivesOf(await readCurrent(store)));
  expect(await copyOf(daily, NEW_YEAR)).toBe(again.public[NEW_YEAR]?.sha256);
}, 300_000);

it('loses the public copies of earlier years with a rollback of a history that began later', async () => {
  const store = createMemoryStore();
  const long = randomSeries({ chain: 'base', seed: 12, days: 400, firstDate: '2021-11-01' });
  const short = beginSeries(long, '2022-03-01');
  await publish(store, short);
  const { revision } = await readCurrent(store);
  await publish(store, long, { acceptance: { reason: 'earlier days' } });
  const lost = weeklyArchivePath('base', '2021');
  expect(await copyOf(store, lost)).toBeDefined();
  await rollBack(store, { asOf: '2022-12-20T06:00:00Z', to: revision, reason: 'a test' });
  expect(await copyOf(store, lost)).toBeUndefined();
  expect(await copyOf(store, LAST_YEAR)).toBeDefined();
  expect((await verifyStore(store, { deep: false })).faults).toEqual([]);
}, 300_000);
