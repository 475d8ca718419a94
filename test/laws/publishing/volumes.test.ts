import { VOLUME_GENRES, type VolumeGenre } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { Manifest, ManifestDate, ManifestVolume } from '../../../schemas/types.generated.js';
import { daySchemaOf } from '../../../generator/core/verification/check-files.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { flattenRecord, type Cells } from '../../support/release/flat-record.js';
import { expectSame } from '../../support/jest/expect-same.js';
import { createRandom } from '../../support/random/seeded.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { readVolume } from '../../support/release/read-volume.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { expectSound } from '../../support/stores/store-with-clock.js';

const CHAIN = 'base';
const RELEASES = 25;
const FIRST_DATE = '2022-10-01';
const FIRST_DAYS = 40;
const SLOW_MS = 300_000;

/** What a release said about a date: its record, or that it is withdrawn. */
async function readSaid(store: ObjectStore, genre: VolumeGenre, entry: ManifestDate): Promise<Cells> {
  if (entry.status === 'withdrawn') return { status: 'withdrawn' };
  const known = records.get(entry.sha256);
  if (known !== undefined) return { ...known, status: entry.status };
  const record = await readArtifactJson(store, entry.sha256, daySchemaOf(genre));
  const cells = { ...flattenRecord(record), published_revision: entry.revision };
  records.set(entry.sha256, cells);
  return { ...cells, status: entry.status };
}

/** The flattened records that were read, by digest. */
const records = new Map<string, Cells>();

const inForceAt = (rows: readonly Cells[], date: string, revision: string): Cells | undefined =>
  rows.find(
    (row) =>
      row['date'] === date &&
      String(row['in_force_from']) <= revision &&
      (row['in_force_until'] === null || String(row['in_force_until']) > revision),
  );

describe('the volumes of a store with corrections, a rollback and withdrawn days', () => {
  const store = createMemoryStore();
  /** What each release said about each date, by revision, genre and date. */
  const said = new Map<string, Map<string, Cells>>();
  /** Volumes that changed although none of their dates did. */
  const changedWithoutReason: string[] = [];
  let manifests: Map<string, Manifest>;

  async function note(before: Map<string, Manifest> | undefined): Promise<void> {
    const { revision } = await readCurrent(store);
    manifests = await readManifests(store, await readCurrent(store));
    const known = new Map<string, Cells>();
    said.set(revision, known);
    for (const genre of VOLUME_GENRES) {
      const manifest = manifests.get(`${genre} ${CHAIN}`);
      for (const entry of manifest?.dates ?? [])
        known.set(`${genre} ${entry.date}`, await readSaid(store, genre, entry));
      for (const volume of manifest?.volumes ?? []) {
        const old = before?.get(`${genre} ${CHAIN}`)?.volumes?.find(({ period }) => period === volume.period);
        if (old === undefined || old.parquet.sha256 === volume.parquet.sha256) continue;
        if (!isTouched(volume, before)) changedWithoutReason.push(`${revision} ${genre} ${volume.period}`);
      }
    }
  }

  /** Returns whether a date of the volume differs from the release before, in any genre. */
  function isTouched(
    { first_date: first, last_date: last }: ManifestVolume,
    before?: Map<string, Manifest>,
  ): boolean {
    const datesOf = (of: Map<string, Manifest> | undefined): string =>
      JSON.stringify(
        VOLUME_GENRES.map((genre) =>
          of?.get(`${genre} ${CHAIN}`)?.dates.filter(({ date }) => first <= date && date <= last),
        ),
      );
    return datesOf(before) !== datesOf(manifests);
  }

  beforeAll(async () => {
    const random = createRandom(21);
    const days = FIRST_DAYS + 10 * RELEASES;
    const whole = randomSeries({ chain: CHAIN, seed: 3, firstDate: FIRST_DATE, days, missingCells: 0.02 });
    const { dates } = whole;
    let series = whole;
    let count = FIRST_DAYS;
    for (let i = 0; i < RELEASES; i += 1) {
      const asOf = `${addDays(dates[count] ?? '', i % 7 === 0 ? 20 : 0)}T06:00:00Z`;
      if (i % 5 === 4) {
        const date = dates[Math.floor(random() * (count - 1))] ?? '';
        series = editSeries(series, 'tx_count', date, random() < 0.2 ? null : Math.round(1e6 * random()));
      }
      const before = said.size === 0 ? undefined : manifests;
      if (i === 15) {
        const [target = ''] = [...said.keys()].slice(-3);
        await rollBack(store, { to: target, reason: 'a bad day', asOf: nextAsOf(asOf) });
        await note(before);
        await setHold(store, null, nextAsOf(asOf));
        await note(manifests);
        continue;
      }
      const inputs = [cut(series, count)];
      await publishSeries(store, { inputs, asOf: nextAsOf(asOf), acceptance: { reason: 'upstream' } });
      await note(before);
      count += 1 + Math.floor(9 * random());
    }
  }, SLOW_MS);

  let lastAsOf = '';
  /** Returns the instant, or the last one if that is later. */
  function nextAsOf(asOf: string): string {
    lastAsOf = asOf > lastAsOf ? asOf : lastAsOf;
    return lastAsOf;
  }

  const cut = (series: ReturnType<typeof randomSeries>, days: number): ReturnType<typeof randomSeries> => ({
    ...series,
    dates: series.dates.slice(0, days),
    present: series.present.slice(0, days),
    metrics: Object.fromEntries(
      Object.entries(series.metrics).map(([name, cells]) => [name, cells.slice(0, days)]),
    ),
  });

  it('tell for every release what it said about each of their dates', async () => {
    const counts = { compared: 0, superseded: 0, withdrawn: 0 };
    for (const genre of VOLUME_GENRES) {
      for (const volume of manifests.get(`${genre} ${CHAIN}`)?.volumes ?? []) {
        const rows = await readVolume(store, volume);
        expect(rows).toHaveLength(volume.rows);
        counts.superseded += rows.filter((row) => row['in_force_until'] !== null).length;
        counts.withdrawn += rows.filter(({ status }) => status === 'withdrawn').length;
        for (const [revision, known] of said) {
          for (let date = volume.first_date; date <= volume.last_date; date = addDays(date, 1)) {
            const row = inForceAt(rows, date, revision);
            const expected = known.get(`${genre} ${date}`);
            counts.compared += 1;
            if (expected === undefined) expectSame([date, revision, row], [date, revision, undefined]);
            else expectSame(pick(row ?? {}, expected), expected);
          }
        }
      }
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  });

  it('keep their bytes through releases that do not touch their dates', () => {
    expect(changedWithoutReason).toEqual([]);
  });

  it('cover the settled history without a gap', () => {
    for (const genre of VOLUME_GENRES) {
      const { dates = [], volumes = [] } = manifests.get(`${genre} ${CHAIN}`) ?? {};
      const covered = volumes.flatMap(({ first_date: first, last_date: last }) =>
        dates.filter(({ date }) => first <= date && date <= last),
      );
      expect(covered).toEqual(dates.slice(0, covered.length));
      expect(volumes.map(({ period }) => period)).toContain('2022');
      expect(covered.length).toBeGreaterThan(dates.length - 38); // an open month and seven days
    }
  });

  it('are verified', () => expectSound(store));
});

function pick(row: Cells, like: Cells): Cells {
  return Object.fromEntries(Object.keys(like).map((name) => [name, row[name] ?? null]));
}

it('a source that ends with a month gets its last volume from the first release after it has settled, and no other', async () => {
  const store = createMemoryStore();
  const inputs = [randomSeries({ chain: CHAIN, seed: 3, days: 61, firstDate: '2022-11-01' })];
  const publish = async (asOf: string, full = false): Promise<readonly [string, readonly string[]]> => {
    const { outcome } = await publishSeries(store, { inputs, asOf: `${asOf}T06:00:00Z`, full });
    const manifest = (await readManifests(store, await readCurrent(store))).get(`gold ${CHAIN}`);
    return [outcome, manifest?.volumes?.map(({ period }) => period) ?? []];
  };
  expect(await publish('2023-01-01')).toEqual(['published', ['2022-11']]);
  expect(await publish('2023-01-07')).toEqual(['unchanged', ['2022-11']]);
  expect(await publish('2023-01-08')).toEqual(['published', ['2022']]);
  expect(await publish('2023-03-01')).toEqual(['unchanged', ['2022']]);
  expect(await publish('2023-03-02', true)).toEqual(['unchanged', ['2022']]);
  await expectSound(store);
});

describe('a chain whose last period settled since it was published', () => {
  const base = randomSeries({ chain: CHAIN, seed: 3, days: 61, firstDate: '2022-11-01' });
  const other = randomSeries({ chain: 'arbitrum', seed: 4, days: 61, firstDate: '2022-11-01' });
  const more = randomSeries({ chain: 'arbitrum', seed: 4, days: 70, firstDate: '2022-11-01' });

  it.each<[string, (store: ObjectStore) => Promise<unknown>]>([
    [
      'is on hold',
      async (store) => {
        await setHold(store, 'a bad source', '2023-01-19T00:00:00Z', [CHAIN]);
        await publishSeries(store, { inputs: [base, more], asOf: '2023-01-20T00:00:00Z' });
      },
    ],
    ['has no input', (store) => publishSeries(store, { inputs: [more], asOf: '2023-01-20T00:00:00Z' })],
    ['is put on hold', (store) => setHold(store, 'a bad source', '2023-01-20T00:00:00Z', [CHAIN])],
  ])('stays sound while it %s', async (_, operate) => {
    const store = createMemoryStore();
    await publishSeries(store, { inputs: [base, other], asOf: '2023-01-01T06:00:00Z' });
    await operate(store);
    const manifest = (await readManifests(store, await readCurrent(store))).get(`gold ${CHAIN}`);
    expect(manifest?.volumes?.map(({ period }) => period)).toEqual(['2022-11']);
    await expectSound(store);
  });
});
