import { settleSite } from '../../../../generator/core/draft/site.js';
import { readPointer, readStartingPoint } from '../../../../generator/state/published-state.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { objectKey, PAGE_PATHS, publicKey } from '../../../../schemas/paths.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { randomSeries } from '../../../support/release/random-series.js';

const STAMP = { revision: '2022-01-09.000001', sequence: 2, publishedAt: '2022-01-09T00:00:00Z' };

const store = createMemoryStore();
await publishSeries(store, {
  inputs: [randomSeries({ chain: 'base', seed: 1, days: 3 })],
  asOf: '2022-01-04',
});
const texts = await readProductTexts();
const readState = async () => (await readStartingPoint(store, [])).state;

it('keeps the published site, and renders none of its files, while the texts and site.json are the same', async () => {
  const published = await readState();
  const untouched = {
    ...texts,
    digests: { writersSha256: '', siteTextsSha256: published?.site?.texts_sha256 ?? '' },
  };
  const broken = { ...untouched, glossary: undefined as never }; // rendering it would throw
  expect(settleSite(broken, published, STAMP, false)).toEqual({ site: published?.site, changed: [] });
});

it('compares every file of an unchanged site when all is compared, and changes none', async () => {
  const { site, changed } = settleSite(texts, await readState(), STAMP, true);
  expect(site).toEqual((await readState())?.site);
  expect(changed.filter(({ artifact }) => artifact !== undefined)).toEqual([]);
});

it('writes the list and the files that name the site when site.json changes, and keeps the others', async () => {
  const named = await readProductTexts({ name: 'Another site', base_url: 'https://another.example.com' });
  const { changed } = settleSite(named, await readState(), STAMP, false);
  const written = changed.filter(({ artifact }) => artifact !== undefined).map(({ path }) => path);
  expect(written).toEqual(expect.arrayContaining([PAGE_PATHS.siteFiles, PAGE_PATHS.docs]));
  expect(written).not.toContain(PAGE_PATHS.icon);
});

it('a record is stored with the list of the site only, and read with its files', async () => {
  const pointer = (await readPointer(store))?.value;
  const stored = await store.get(`releases/${pointer?.revision ?? ''}/${pointer?.sha256 ?? ''}.json`);
  const { public: listed } = JSON.parse(Buffer.from(stored?.bytes ?? []).toString()) as { public: object };
  expect(Object.keys(listed)).toContain(PAGE_PATHS.siteFiles);
  expect(Object.keys(listed)).not.toContain(PAGE_PATHS.docs);
  expect(Object.keys((await readState())?.record.public ?? {})).toContain(PAGE_PATHS.docs);
});

it('reads the public copy of a list that is lost, and reports a damaged store if both are lost', async () => {
  const before = await readState();
  const other = createMemoryStore();
  for await (const { key } of store.list('')) {
    const found = await store.get(key);
    if (found !== undefined && key !== objectKey(before?.record.public[PAGE_PATHS.siteFiles]?.sha256 ?? ''))
      await other.putIfAbsent(key, found.bytes, { contentType: 'text/plain', cacheControl: 'no-cache' });
  }
  expect((await readStartingPoint(other, [])).state?.site).toEqual(before?.site);
  const bare = createMemoryStore();
  for await (const { key } of other.list('')) {
    const found = await other.get(key);
    if (found !== undefined && key !== publicKey(PAGE_PATHS.siteFiles))
      await bare.putIfAbsent(key, found.bytes, { contentType: 'text/plain', cacheControl: 'no-cache' });
  }
  await expect(readStartingPoint(bare, [])).rejects.toMatchObject({ exit: 'damaged' });
});

it('the next release puts a lost list back from its public copy', async () => {
  const damaged = createMemoryStore();
  const inputs = (days: number) => [randomSeries({ chain: 'base', seed: 1, days })];
  await publishSeries(damaged, { inputs: inputs(3), asOf: '2022-01-04' });
  const list =
    (await readStartingPoint(damaged, [])).state?.record.public[PAGE_PATHS.siteFiles]?.sha256 ?? '';
  await damaged.delete(objectKey(list));
  await publishSeries(damaged, { inputs: inputs(4), asOf: '2022-01-05' });
  expect(await damaged.head(objectKey(list))).toBeDefined();
});
