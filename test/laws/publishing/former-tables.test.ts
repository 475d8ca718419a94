import {
  type Artifact,
  CSV_TYPE,
  JSON_TYPE,
  jsonContent,
  toArtifact,
} from '../../../generator/core/artifacts/artifact.js';
import { calendarText } from '../../../generator/core/artifacts/regime-calendar.js';
import type { DayRecord } from '../../../generator/core/records/day-writers.js';
import type { Plan } from '../../../generator/core/release/plan-types.js';
import { runSteps } from '../../../generator/core/steps.js';
import { draftChainVolumes } from '../../../generator/core/volumes/draft-volumes.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { byChain, VOLUME_GENRES } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { calendarPath, manifestPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  Chain,
  FileEntry,
  Manifest,
  PublicRelease,
  RegimeCalendarRow,
  ReleaseRecord,
} from '../../../schemas/types.generated.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { prepareSeries, publishPrepared, publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const CHAINS = ['arbitrum', 'base'] as const;
/** So many that the calendars have whole scores. */
const DAYS = 200;
const at = (day: number): string => `2022-07-${day}T00:00:00Z`;
const inputs = (days: number): ReturnType<typeof randomSeries>[] =>
  CHAINS.map((chain, seed) => randomSeries({ chain, seed, days }));

/** Returns a store as a build published it that wrote whole numbers without a decimal point, and booleans as RLE. */
async function publishedBefore(days = DAYS): Promise<ObjectStore> {
  const store = createMemoryStore();
  const prepared = await prepareSeries(store, { inputs: inputs(days), asOf: at(21) });
  await publishPrepared(store, { ...prepared, plan: inFormerForm(prepared.plan) }, at(21));
  return store;
}

function inFormerForm(plan: Plan): Plan {
  if (plan.release === undefined) throw new Error('nothing would be published');
  const artifacts = new Map(plan.release.artifacts.map((each) => [each.path, each]));
  const written = new Set<string>();
  const tables = CHAINS.flatMap((chain) => formerTables(chain, artifacts));
  expect(tables.some(({ path, sha256 }) => artifacts.get(path)?.sha256 !== sha256)).toBe(true);
  for (const each of tables) {
    artifacts.set(each.path, each);
    written.add(each.path);
  }
  const index = formerIndex(artifacts);
  artifacts.set(index.path, index);
  const entries = <T extends FileEntry>(files: Record<string, T>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(files).map(([path, entry]): [string, T] => {
        const { sha256, bytes } = artifacts.get(path) ?? entry;
        return [path, { ...entry, sha256, bytes }];
      }),
    );
  const { record: full } = plan.release;
  const chains = byChain((chain) => {
    const each = full.chains[chain];
    return each && { ...each, writers_sha256: 'f'.repeat(64) };
  });
  const record: ReleaseRecord = {
    ...full,
    public: entries(full.public),
    bundles: Object.fromEntries(
      Object.entries(entries(full.bundles)).filter(
        ([path]) => !path.includes('/volumes/') || written.has(path),
      ),
    ),
    manifests: entries(full.manifests),
    chains,
  };
  const recordText = canonicalJson(record);
  const release = { ...plan.release, record, recordText, sha256: sha256Hex(recordText) };
  return { ...plan, release: { ...release, artifacts: [...artifacts.values()] } };
}

/** Returns the calendar, volumes and manifests of a chain in the former form. */
function formerTables(chain: Chain, artifacts: ReadonlyMap<string, Artifact>): Artifact[] {
  const valueOf = (path: string): unknown => artifacts.get(path)?.content().value;
  const [meta, gold, derived] = VOLUME_GENRES.map((genre) => valueOf(manifestPath(genre, chain)) as Manifest); // by its path
  if (meta === undefined || gold === undefined || derived === undefined) throw new Error('no manifests');
  const volumes = runSteps(
    draftChainVolumes({
      chain,
      updatedThrough: meta.updated_through,
      revision: meta.published_revision,
      sources: gold.sources ?? [],
      entries: { meta: meta.dates, gold: gold.dates, derived: derived.dates },
      methodology: currentMethodology(),
      revisions: meta.revisions,
      form: 1,
      record: ({ path }) => valueOf(path) as DayRecord,
    }),
  );
  const calendar = calendarPath(chain);
  const value = valueOf(calendar) as RegimeCalendarRow[];
  const text = calendarText(value, 'shortest');
  return [
    toArtifact(calendar, CSV_TYPE, () => ({ schema: 'regime-calendar', value, text })),
    ...VOLUME_GENRES.flatMap((genre, i) => {
      const manifest = { ...[meta, gold, derived][i], volumes: [...volumes[genre].listed] };
      const file = toArtifact(manifestPath(genre, chain), JSON_TYPE, () => jsonContent('manifest', manifest));
      return [file, ...volumes[genre].files];
    }),
  ];
}

function formerIndex(artifacts: ReadonlyMap<string, Artifact>): Artifact {
  const list = artifacts.get(PUBLIC_PATHS.release)?.content().value as PublicRelease; // the list of public files
  const files = list.files.map((file) => {
    const { sha256, bytes } = artifacts.get(file.path) ?? file;
    return { ...file, sha256, bytes };
  });
  return toArtifact(PUBLIC_PATHS.release, JSON_TYPE, () => jsonContent('release', { ...list, files }));
}

async function faultsOf(store: ObjectStore, deep = false): Promise<unknown> {
  return (await verifyStore(store, { deep })).faults;
}

/** Returns the schemas of the listed volumes of a chain, each once. */
async function formsOf(store: ObjectStore, chain: Chain): Promise<string[]> {
  const manifests = [...(await readManifests(store, await readCurrent(store))).values()];
  const volumes = manifests.filter((each) => each.chain === chain).flatMap((each) => each.volumes ?? []);
  return [...new Set(volumes.map(({ schema }) => schema))].sort();
}

const formOf = (number: number): string[] =>
  ['derived', 'gold', 'meta'].map((genre) => `${genre}-volume/${number}`);

let former: MemoryCopies;
beforeAll(async () => {
  former = await createMemoryCopies(await publishedBefore());
});

describe('a store whose tables have their former form', () => {
  it('is sound', async () => {
    const store = await former.create();
    expect(await formsOf(store, 'base')).toEqual(formOf(1));
    expect(await faultsOf(store)).toEqual([]);
  });

  it('gets all tables in their new form by the next run, which counts no date as new or restated', async () => {
    const store = await former.create();
    const before = await readManifests(store, await readCurrent(store));
    const report = await publishSeries(store, { inputs: inputs(DAYS), asOf: at(22) });
    const counts = { outcome: 'unchanged', new: 0, restated: 0 };
    expect(report.chains).toMatchObject({ arbitrum: counts, base: counts });
    for (const [name, { dates }] of await readManifests(store, await readCurrent(store)))
      expect(dates).toEqual(before.get(name)?.dates);
    expect([await formsOf(store, 'arbitrum'), await formsOf(store, 'base')]).toEqual([formOf(2), formOf(2)]);
    expect(await faultsOf(store, true)).toEqual([]);
  });

  it('is sound if it has no volume yet', async () => {
    expect(await faultsOf(await publishedBefore(31))).toEqual([]);
  });

  it('has an open last month where a source has ended, which the next run closes', async () => {
    const ended = toDayNumber('2022-07-01') - toDayNumber('2022-01-01');
    const store = await publishedBefore(ended);
    const lastPeriod = async (): Promise<string | undefined> =>
      (await readManifests(store, await readCurrent(store))).get('gold base')?.volumes?.at(-1)?.period;
    expect([await lastPeriod(), await faultsOf(store)]).toEqual(['2022-05', []]);
    await publishSeries(store, { inputs: inputs(ended), asOf: at(22) });
    expect([await lastPeriod(), await faultsOf(store, true)]).toEqual(['2022-06', []]);
  });

  it('keeps the former form of a chain on hold, and stays sound', async () => {
    const store = await former.create();
    await setHold(store, 'a bad source', at(22), ['base']);
    const report = await publishSeries(store, { inputs: inputs(DAYS + 1), asOf: at(23) });
    expect(report.chains).toMatchObject({ arbitrum: { new: 1, restated: 0 }, base: { outcome: 'held' } });
    expect([await formsOf(store, 'arbitrum'), await formsOf(store, 'base')]).toEqual([formOf(2), formOf(1)]);
    expect(await faultsOf(store, true)).toEqual([]);
  });

  it('gets the new form of every table of a chain that is rolled back', async () => {
    const store = await former.create();
    const bad = inputs(DAYS).map((series) => editSeries(series, 'tx_count', '2022-07-19', 1));
    const prepared = await prepareSeries(store, {
      inputs: bad,
      asOf: at(22),
      acceptance: { reason: 'a test' },
    });
    await publishPrepared(store, prepared, at(22));
    await rollBack(store, { to: '2022-07-21.000001', reason: 'a bad day', asOf: at(23) });
    expect(await formsOf(store, 'base')).toEqual(formOf(2));
    expect(await faultsOf(store)).toEqual([]);
  });
});
