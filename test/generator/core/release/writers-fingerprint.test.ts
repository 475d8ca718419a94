import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { chartDataPath, chartPath, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import type { FileEntry } from '../../../../schemas/types.generated.js';
import { listedFiles } from '../../../../generator/core/volumes/volume-files.js';
import { planRelease } from '../../../../generator/core/release/plan-release.js';
import type { PublishedState } from '../../../../generator/core/release/plan-types.js';
import { writersFingerprint } from '../../../../generator/core/release/writers-fingerprint.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { readStartingPoint } from '../../../../generator/state/published-state.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { randomSeries } from '../../../support/release/random-series.js';

const SHA = 'f'.repeat(64);
const texts = await readProductTexts();
const inputs = (['base', 'ethereum'] as const).map((chain, seed) => randomSeries({ chain, seed, days: 20 }));

/** Returns the state as published by other code: without charts, with another landing and other fingerprints. */
function withoutCharts(state: PublishedState): PublishedState {
  const record = structuredClone(state.record);
  const landing = structuredClone(state.landing);
  for (const path of [
    PUBLIC_PATHS.overviewChart,
    ...CHAIN_IDS.flatMap((chain) => [chartPath(chain), chartDataPath(chain)]),
  ])
    Reflect.deleteProperty(record.public, path);
  for (const chain of Object.values(record.chains)) chain.writers_sha256 = SHA;
  for (const chain of Object.values(landing.chains)) chain.headline = 'Other words.';
  const listed = record.public[PUBLIC_PATHS.landing];
  if (listed !== undefined) listed.sha256 = SHA;
  return { ...state, record, landing, charts: new Map() };
}

it('planRelease adds charts to a store without charts, and publishes no date again', async () => {
  const store = createMemoryStore();
  await publishSeries(store, { inputs, asOf: '2022-03-01' });
  const { state } = await readStartingPoint(store, ['base', 'ethereum']);
  if (state === undefined) throw new Error('nothing was published');
  const previous = withoutCharts(state);
  const { release, chains } = planRelease({ inputs, previous, asOfMs: Date.parse('2022-03-02'), texts });
  const chartPaths = ['/charts/base.svg', '/charts/ethereum.svg', '/charts/overview.svg'];
  const dataPaths = ['/charts/base.json', '/charts/ethereum.json'];
  expect(release?.differing.toSorted()).toEqual([PUBLIC_PATHS.landing, ...chartPaths, ...dataPaths].sort());
  expect(
    release?.artifacts.map(({ path }) => path).filter((path) => /\d{4}-\d{2}-\d{2}\.json$/.test(path)),
  ).toEqual([]);
  expect(release?.record.manifests).toEqual(state.record.manifests);
  expect(release?.record.bundles).toEqual(state.record.bundles);
  expect(chains.base).toMatchObject({ outcome: 'unchanged', new: 0, restated: 0 });
  for (const path of chartPaths) expect(release?.record.public[path]?.type).toBe('image/svg+xml');
});

it('planRelease packs unchanged volumes again when other code published them, or with full', async () => {
  const store = createMemoryStore();
  const series = randomSeries({ chain: 'base', seed: 3, days: 60 });
  await publishSeries(store, { inputs: [series], asOf: '2022-03-10' });
  const { state } = await readStartingPoint(store, ['base']);
  if (state === undefined) throw new Error('nothing was published');
  const previous = structuredClone(state);
  const files = [...previous.manifests.values()].flatMap(({ volumes }) => listedFiles(volumes));
  for (const file of files) {
    file.sha256 = SHA;
    (previous.record.bundles[file.path] as FileEntry).sha256 = SHA; // the release lists every volume
  }
  const request = { inputs: [series], previous, asOfMs: Date.parse('2022-03-11'), texts };
  const digestsAfter = (full: boolean): (string | undefined)[] => {
    const { release } = planRelease({ ...request, full });
    return files.map(({ path }) => release?.record.bundles[path]?.sha256);
  };
  const packed = files.map(({ path }) => state.record.bundles[path]?.sha256);
  expect(digestsAfter(true)).toEqual(packed);
  for (const chain of Object.values(previous.record.chains)) chain.writers_sha256 = SHA;
  expect(digestsAfter(false)).toEqual(packed);
  expect(packed.length).toBeGreaterThan(0);
});

it('writersFingerprint changes when pages are drawn differently', () => {
  const site = { ...texts.site, templates: { ...texts.site.templates, chain: () => 'a page' } };
  expect(writersFingerprint({ ...texts, site })).not.toBe(writersFingerprint(texts));
});

it('writersFingerprint stays the same when only a script or the style sheet changes, whose path then changes', () => {
  const asset = { path: '/assets/site-0123456789abcdef.css', text: 'p{}' };
  const site = { ...texts.site, stylesheet: asset, script: asset, metricsScript: asset, verifyScript: asset };
  expect(writersFingerprint({ ...texts, site })).toBe(writersFingerprint(texts));
});
