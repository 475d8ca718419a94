import type { Plan } from '../../../generator/core/release/plan-types.js';
import { readStartingPoint } from '../../../generator/state/published-state.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { bundlePath, FILES_PATH, manifestPath } from '../../../schemas/paths.js';
import type { Genre, Manifest, ReleaseRecord } from '../../../schemas/types.generated.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { prepareSeries, publishPrepared, publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const AS_OF = [
  '2022-03-01T00:00:00Z',
  '2022-03-02T00:00:00Z',
  '2022-03-03T00:00:00Z',
  '2022-03-04T00:00:00Z',
] as const;
const LATER = ['2022-03-05T00:00:00Z', '2022-03-06T00:00:00Z'] as const;
const inputs = [randomSeries({ chain: 'base', seed: 5, days: 30 })];
const corrected = inputs.map((series) => ({
  ...series,
  metrics: {
    ...series.metrics,
    tx_count: series.metrics.tx_count?.map((x, t) => (t === 20 ? 777_777 : x)) ?? [],
  },
}));
const BRIEFS = `${FILES_PATH}/briefs/`;

/** Returns a store as it was published before briefs existed: the release has no files of that genre. */
async function publishedWithoutBriefs(): Promise<ObjectStore> {
  const store = createMemoryStore();
  const prepared = await prepareSeries(store, { inputs, asOf: AS_OF[0] });
  await publishPrepared(store, { ...prepared, plan: withoutBriefs(prepared.plan) }, AS_OF[0]);
  return store;
}

function withoutBriefs(plan: Plan): Plan {
  if (plan.release === undefined) throw new Error('nothing would be published');
  const { record: full, artifacts } = plan.release;
  const others = <T>(files: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries<T>(files).filter(([path]) => !path.startsWith(BRIEFS))); // a subset of `files`
  const { base } = full.chains;
  if (base === undefined) throw new Error('base would not be published');
  const record: ReleaseRecord = {
    ...full,
    bundles: others(full.bundles),
    manifests: others(full.manifests),
    chains: { base: { ...base, writers_sha256: 'f'.repeat(64) } },
  };
  const sample = new Set(Object.values(record.public).map(({ sha256 }) => sha256)); // has the bytes of a brief
  const recordText = canonicalJson(record);
  const release = {
    ...plan.release,
    record,
    recordText,
    sha256: sha256Hex(recordText),
    artifacts: artifacts.filter(({ path, sha256 }) => !path.startsWith(BRIEFS) || sample.has(sha256)),
  };
  return { ...plan, release };
}

async function faultsOf(store: ObjectStore, deep: boolean): Promise<unknown> {
  return (await verifyStore(store, { deep })).faults;
}

async function manifestOf(store: ObjectStore, genre: Genre): Promise<Manifest> {
  const manifest = (await readManifests(store, await readCurrent(store))).get(`${genre} base`);
  if (manifest === undefined) throw new Error(`no manifest of ${genre}`);
  return manifest;
}

const briefsOf = (store: ObjectStore): Promise<Manifest> => manifestOf(store, 'briefs');

describe('a store that was published before briefs existed', () => {
  it('has no faults', async () => {
    expect(await faultsOf(await publishedWithoutBriefs(), false)).toEqual([]);
  });

  it('gets briefs from the next run, which counts no date as new or restated', async () => {
    const store = await publishedWithoutBriefs();
    const before = (await readStartingPoint(store, [])).state;
    const report = await publishSeries(store, { inputs, asOf: AS_OF[1] });
    const after = (await readStartingPoint(store, [])).state;
    expect(report.chains.base).toMatchObject({ new: 0, restated: 0 });
    expect(after?.record.sequence).toBe(2);
    expect(after?.record.changes.chains.base ?? { new: null, restated: null }).toMatchObject({
      new: null,
      restated: null,
    });
    for (const genre of ['meta', 'gold', 'derived'] as const) {
      const path = manifestPath(genre, 'base');
      expect(after?.record.manifests[path]).toEqual(before?.record.manifests[path]);
    }
    expect((await briefsOf(store)).dates).toHaveLength(30);
    expect(await faultsOf(store, true)).toEqual([]);
  });

  it('counts only the new date as new when the briefs are added', async () => {
    const store = await publishedWithoutBriefs();
    const longer = [randomSeries({ chain: 'base', seed: 5, days: 31 })];
    const report = await publishSeries(store, { inputs: longer, asOf: AS_OF[1] });
    expect(report.chains.base).toMatchObject({ outcome: 'published', new: 1, restated: 0 });
    expect((await briefsOf(store)).dates).toHaveLength(31);
  });

  it('keeps briefs when it is rolled back to a release without briefs but with the same days', async () => {
    const store = await publishedWithoutBriefs();
    await publishSeries(store, { inputs, asOf: AS_OF[1] });
    const before = await briefsOf(store);
    const record = await rollBack(store, { to: '2022-03-01.000001', reason: 'a trial', asOf: AS_OF[2] });
    expect(await briefsOf(store)).toEqual(before);
    expect(record.hold).toBe('a trial');
    expect(await faultsOf(store, true)).toEqual([]);
  });

  it('withdraws briefs of dates that a rollback changes, and writes them again after unhold', async () => {
    const store = await publishedWithoutBriefs();
    await publishSeries(store, { inputs, asOf: AS_OF[1] });
    await publishSeries(store, {
      inputs: corrected,
      asOf: AS_OF[2],
      acceptance: { reason: 'a better count' },
    });
    const restated = (await briefsOf(store)).dates.filter(({ superseded }) => superseded.length > 0);
    expect(restated.length).toBeGreaterThan(0);

    await rollBack(store, { to: '2022-03-01.000001', reason: 'it was worse', asOf: AS_OF[3] });
    const statuses = (await briefsOf(store)).dates.map(({ date, status }) => [date, status === 'withdrawn']);
    const metas = (await manifestOf(store, 'meta')).dates;
    const changed = metas.filter(({ superseded }) => superseded.length > 0).map(({ date }) => date);
    expect(statuses).toEqual(metas.map(({ date }) => [date, changed.includes(date)]));
    expect(await faultsOf(store, true)).toEqual([]);

    await setHold(store, null, LATER[0]);
    await publishSeries(store, { inputs, asOf: LATER[1], acceptance: { reason: 'briefs again' } });
    expect((await briefsOf(store)).dates.every(({ status }) => status !== 'withdrawn')).toBe(true);
    expect(await faultsOf(store, true)).toEqual([]);
  });

  it('has no bundle of briefs while all briefs are withdrawn', async () => {
    const store = await publishedWithoutBriefs();
    const other = [randomSeries({ chain: 'base', seed: 6, days: 30 })];
    await publishSeries(store, { inputs, asOf: AS_OF[1] });
    await publishSeries(store, { inputs: other, asOf: AS_OF[2], acceptance: { reason: 'another source' } });
    const record = await rollBack(store, { to: '2022-03-01.000001', reason: 'it was worse', asOf: AS_OF[3] });
    expect(Object.keys(record.bundles)).not.toContain(bundlePath('briefs', 'base', 'latest'));
    expect(Object.keys(record.bundles)).toContain(bundlePath('meta', 'base', 'latest'));
    expect(await faultsOf(store, true)).toEqual([]);
  });
});
