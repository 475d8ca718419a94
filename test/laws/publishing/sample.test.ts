import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { cutSeries } from '../../../generator/core/input/input-series.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GENRES, VOLUME_GENRES } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import {
  bundlePath,
  manifestPath,
  objectKey,
  PAGE_PATHS,
  publicKey,
  type SampleFile,
  samplePath,
  volumePath,
} from '../../../schemas/paths.js';
import { SAMPLE_PATHS } from '../../../schemas/release-paths.js';
import type { Bundle, Genre, Manifest, ReleaseRecord } from '../../../schemas/types.generated.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { prepareSeries, publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { expectSound } from '../../support/stores/store-with-clock.js';

/** 2022-11-01 to 2023-01-31. */
const whole = randomSeries({ chain: 'base', seed: 3, days: 92, firstDate: '2022-11-01', missingCells: 0.02 });
/** The last week of 2022. */
const WEEK = { first: '2022-12-19', last: '2022-12-25' };
const SLOW_MS = 300_000;

const asOfOf = ({ dates }: InputSeries): string => `${addDays(dates.at(-1) ?? '', 1)}T06:00:00Z`;

async function publish(
  store: ObjectStore,
  series: InputSeries,
  acceptance?: { readonly reason: string },
): Promise<ReleaseRecord> {
  await publishSeries(store, {
    inputs: [series],
    asOf: asOfOf(series),
    ...(acceptance ? { acceptance } : {}),
  });
  return readCurrent(store);
}

/** Returns the bytes of a file that the release lists, free or not. */
async function readBytes(store: ObjectStore, path: string): Promise<Buffer> {
  const record = await readCurrent(store);
  const entry = record.public[path] ?? record.bundles[path] ?? record.manifests[path];
  return Buffer.from((await store.get(objectKey(entry?.sha256 ?? '')))?.bytes ?? []);
}

const readText = async (store: ObjectStore, path: string): Promise<string> =>
  (await readBytes(store, path)).toString();
const readSample = (store: ObjectStore, genre: Genre, file: SampleFile): Promise<string> =>
  readText(store, samplePath(genre, file));

/** Returns the text of each day file of the week, in the order of its dates. */
async function readDays(store: ObjectStore, genre: Genre): Promise<string[]> {
  const { dates } = JSON.parse(await readText(store, manifestPath(genre, 'base'))) as Manifest;
  const week = dates.filter(({ date }) => WEEK.first <= date && date <= WEEK.last);
  return Promise.all(
    week.map(async ({ sha256 }) => Buffer.from((await store.get(objectKey(sha256)))?.bytes ?? []).toString()),
  );
}

const digestsOf = ({ public: listed }: ReleaseRecord): (string | undefined)[] =>
  SAMPLE_PATHS.map((path) => listed[path]?.sha256);
const sampleOf = ({ public: listed }: ReleaseRecord): string[] =>
  SAMPLE_PATHS.filter((path) => listed[path] !== undefined);

describe('the sample of a release', () => {
  const store = createMemoryStore();
  beforeAll(async () => {
    await publish(store, cutSeries(whole, '2023-01-28'));
    const corrected = editSeries(whole, 'tx_count', '2022-12-21', 4_321_000);
    await publish(store, cutSeries(corrected, '2023-01-30'), { reason: 'a late block' });
  }, SLOW_MS);

  it('is sound', () => expectSound(store), SLOW_MS);

  it.each(GENRES)('has the days of %s as their files have them, in the form of a bundle', async (genre) => {
    const days = await readDays(store, genre);
    expect(days).toHaveLength(7);
    expect(await readSample(store, genre, 'day.json')).toBe(days.at(-1));
    const text = await readSample(store, genre, 'bundle.json');
    expect(text).toContain(`"days":[${days.join(',')}]`);
    const paid = JSON.parse(await readText(store, bundlePath(genre, 'base', '7d'))) as Bundle;
    const sample = JSON.parse(text) as Bundle;
    expect(Object.keys(sample)).toEqual(Object.keys(paid));
    expect([sample.first_date, sample.last_date, sample.window]).toEqual([WEEK.first, WEEK.last, '7d']);
  });

  it.each(GENRES)('has the days of the manifest of %s, with their versions', async (genre) => {
    const paid = JSON.parse(await readText(store, manifestPath(genre, 'base'))) as Manifest;
    const sample = JSON.parse(await readSample(store, genre, 'manifest.json')) as Manifest;
    expect(Object.keys(sample)).toEqual(Object.keys(paid));
    expect(sample.dates).toEqual(paid.dates.filter(({ date }) => WEEK.first <= date && date <= WEEK.last));
    expect(sample.dates.some(({ superseded }) => superseded.length > 0)).toBe(true);
    expect(sample.volumes).toEqual(paid.volumes?.filter(({ period }) => period === '2022'));
    expect(paid.revisions).toMatchObject(sample.revisions);
  });

  it.each(VOLUME_GENRES)('has the lines of the volume of %s, to the byte, and its columns', async (genre) => {
    const paid = (await readText(store, volumePath(genre, 'base', '2022', 'csv'))).split('\n');
    const ofWeek = paid.filter((line) => WEEK.first <= line && line <= `${WEEK.last},~`);
    expect(ofWeek.length).toBeGreaterThan(7); // with the version before the correction
    const sample = await readSample(store, genre, 'volume.csv');
    expect(sample).toBe([paid[0], ...ofWeek, ''].join('\n'));
  });

  it.each(VOLUME_GENRES)('has the rows and the types of the Parquet file of %s', async (genre) => {
    const read = async (path: string): Promise<ArrayBuffer> =>
      Uint8Array.from(await readBytes(store, path)).buffer;
    const paid = await read(volumePath(genre, 'base', '2022', 'parquet'));
    const sample = await read(samplePath(genre, 'volume.parquet'));
    const [form, sampleForm] = [parquetMetadata(paid), parquetMetadata(sample)];
    expect(sampleForm.schema).toEqual(form.schema);
    expect(sampleForm.key_value_metadata).toEqual(form.key_value_metadata);
    const isOfWeek = ({ date }: Record<string, unknown>): boolean => {
      const day = (date as Date).toISOString().slice(0, 10); // a date, by the schema
      return WEEK.first <= day && day <= WEEK.last;
    };
    const rows = (await parquetReadObjects({ file: paid })).filter(isOfWeek);
    expect(await parquetReadObjects({ file: sample })).toEqual(rows);
  });

  it('is on the pricing page with its sizes, and in the copies', async () => {
    const record = await readCurrent(store);
    const page = await readText(store, PAGE_PATHS.pricing);
    expect(page).toContain('A week of Base, 19 December 2022 to 25 December 2022');
    expect(sampleOf(record)).toEqual(SAMPLE_PATHS);
    for (const path of SAMPLE_PATHS) {
      expect(page).toContain(`href="${path}" download="base-`);
      expect((await store.head(publicKey(path)))?.sha256).toBe(record.public[path]?.sha256);
    }
  });
});

it(
  'is not made again for a new day, but for a correction of the week',
  async () => {
    const store = createMemoryStore();
    const before = await publish(store, cutSeries(whole, '2023-01-20'));
    const next = cutSeries(whole, '2023-01-21');
    const { plan } = await prepareSeries(store, { inputs: [next], asOf: asOfOf(next) });
    const written = plan.release?.artifacts.map(({ path }) => path) ?? [];
    expect(written.filter((path) => SAMPLE_PATHS.includes(path) || path === PAGE_PATHS.pricing)).toEqual([]);
    const after = await publish(store, next);
    for (const path of SAMPLE_PATHS) expect(after.public[path]).toEqual(before.public[path]);

    const corrected = editSeries(next, 'tx_count', '2022-12-25', 4_321_000);
    const restated = await publish(store, corrected, { reason: 'a late block' });
    const gold = samplePath('gold', 'day.json');
    expect(restated.public[gold]?.revision).toBe(restated.revision);
    expect(await readText(store, gold)).toContain('"tx_count":4321000');
    expect(await readSample(store, 'gold', 'volume.csv')).toContain('4321000.0');
    await expectSound(store);
  },
  SLOW_MS,
);

it(
  'is the same whether history is published at once or day by day, and changes with the year',
  async () => {
    const daily = createMemoryStore();
    const changes: string[] = [];
    let before: ReleaseRecord | undefined;
    for (let date = '2022-12-28'; date <= '2023-01-03'; date = addDays(date, 1)) {
      const record = await publish(daily, cutSeries(whole, date));
      const day = samplePath('gold', 'day.json');
      if (before && before.public[day]?.sha256 !== record.public[day]?.sha256) changes.push(date);
      before = record;
    }
    expect(changes).toEqual(['2022-12-31']);
    await expectSound(daily);
    const days = async (store: ObjectStore): Promise<string[]> =>
      (await readSample(store, 'gold', 'volume.csv')).split('\n').map((line) => line.slice(0, 10));
    const once = createMemoryStore();
    for (const store of [daily, once]) await publish(store, cutSeries(whole, '2023-01-10')); // closes the year
    await expectSound(daily);
    expect(await days(daily)).toEqual(await days(once));
  },
  SLOW_MS,
);

it(
  'is absent, also from the pricing page, until the history has a whole week',
  async () => {
    const store = createMemoryStore();
    const short = await publish(store, cutSeries(whole, '2022-11-12')); // from a Tuesday to a Saturday
    expect(sampleOf(short)).toEqual([]);
    expect(await readText(store, PAGE_PATHS.pricing)).not.toContain('Try a week');
    const long = await publish(store, cutSeries(whole, '2022-11-13'));
    expect(sampleOf(long)).toEqual(SAMPLE_PATHS);
    expect(await readText(store, PAGE_PATHS.pricing)).toContain('7 November 2022 to 13 November 2022');

    const asOf = '2022-11-15T06:00:00Z';
    const back = await rollBack(store, { asOf, to: short.revision, reason: 'a test' });
    expect(sampleOf(back)).toEqual([]);
    expect(await store.head(publicKey(samplePath('gold', 'day.json')))).toBeUndefined();
    await expectSound(store);
    await setHold(store, null, asOf);
    const again = await publish(store, cutSeries(whole, '2022-11-14'), { reason: 'again' });
    expect(sampleOf(again)).toEqual(SAMPLE_PATHS);
    await expectSound(store);
  },
  SLOW_MS,
);

it(
  'goes back with a rollback',
  async () => {
    const store = createMemoryStore();
    const first = await publish(store, cutSeries(whole, '2023-01-20'));
    const corrected = editSeries(cutSeries(whole, '2023-01-22'), 'tx_count', '2022-12-25', 4_321_000);
    await publish(store, corrected, { reason: 'a mistake' });
    await rollBack(store, { asOf: '2023-01-24T06:00:00Z', to: first.revision, reason: 'a test' });
    expect((await readCurrent(store)).public[samplePath('gold', 'day.json')]?.sha256).toBe(
      first.public[samplePath('gold', 'day.json')]?.sha256,
    );
    await expectSound(store);
  },
  SLOW_MS,
);

it(
  'is of ethereum as soon as the store has it, and stays of the chain that it is of',
  async () => {
    const store = createMemoryStore();
    const base = cutSeries(whole, '2022-11-20');
    const first = await publish(store, base);
    const ethereum = randomSeries({ chain: 'ethereum', seed: 4, days: 20, firstDate: '2022-11-01' });
    const inputs = [ethereum, cutSeries(whole, '2022-11-21')];
    await publishSeries(store, { inputs, asOf: '2022-11-22T06:00:00Z' });
    const both = await readCurrent(store);
    expect(digestsOf(both).some((digest, i) => digest === digestsOf(first)[i])).toBe(false);
    expect(await readText(store, PAGE_PATHS.pricing)).toContain('A week of Ethereum');
    await expectSound(store);
    const later = await publish(store, cutSeries(whole, '2022-11-23'));
    expect(digestsOf(later)).toEqual(digestsOf(both));
    await expectSound(store);
  },
  SLOW_MS,
);
