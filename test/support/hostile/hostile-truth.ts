import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import {
  listedFilesOf,
  readDayFiles,
  readPointer,
  readReleases,
  recordKeysOf,
} from '../../../generator/state/published-state.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { parseInstant } from '../../../schemas/dates.js';
import { objectKey, statementKey } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { randomSeries } from '../release/random-series.js';
import { publishSeries } from '../release/publish-series.js';
import { createSignedSite, type SignedSite } from '../release/signed-store.js';
import { metricsCsv, sourcesJson } from '../release/small-input.js';
import { createMemoryCopies, type MemoryCopies } from '../stores/memory-copies.js';
import { createMemoryStore } from '../stores/memory-store.js';

const FIRST = '2025-01-04T00:00:00Z';
const SECOND = '2025-01-05T00:00:00Z';
/** The time of the runs. */
export const NOW = '2025-01-05T06:00:00Z';
export const META = { contentType: 'application/json', cacheControl: 'no-cache' };
const ORPHANS = ['one', 'two', 'three'];

/** The true store, in which the second release is the current one. */
export type Truth = {
  readonly site: SignedSite;
  readonly copies: MemoryCopies;
  /** The store with its first release only. */
  readonly before: MemoryCopies;
  /** A store of the same site with other values, signed by a root key that nobody trusts. */
  readonly foreign: MemoryCopies;
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  readonly keys: readonly string[];
  readonly releases: ReadonlyMap<string, ReleaseRecord>;
  readonly current: ReleaseRecord;
  /** Keys that no garbage collection may delete. */
  readonly reachable: ReadonlySet<string>;
  /** The input of the second release. */
  readonly input: MemoryCopies;
};

/** Publishes and signs two releases, between which three objects are written that no release names. */
export async function createTruth(): Promise<Truth> {
  const site = await createSignedSite(FIRST, { seed: 'own' });
  const clock = { nowMs: parseInstant(FIRST) ?? NaN };
  const store = createMemoryStore(() => clock.nowMs);
  await site.install(store);
  const publish = async (asOf: string, days: number): Promise<void> => {
    const inputs = await readSeries(await createInput(days), asOf);
    await publishSeries(store, { inputs, asOf, signing: site.signingAt(asOf) });
  };
  await publish(FIRST, 3);
  const before = await createMemoryCopies(store);
  for (const text of ORPHANS) await store.putIfAbsent(objectKey(sha256Hex(text)), Buffer.from(text), META);
  clock.nowMs = parseInstant(SECOND) ?? NaN;
  await publish(SECOND, 4);
  const pointer = await readPointer(store);
  if (pointer === undefined) throw new Error('there is no release');
  const releases = await readReleases(store, pointer.value);
  const [current] = releases;
  if (current === undefined) throw new Error('there is no release');
  const bodies = new Map<string, Uint8Array>();
  for await (const { key } of store.list(''))
    bodies.set(key, (await store.get(key))?.bytes ?? new Uint8Array());
  const reachable = new Set([
    ...recordKeysOf(releases),
    ...releases.map(({ record, sha256 }) => statementKey(record.revision, sha256)),
    ...releases.flatMap(({ record }) => listedFilesOf(record).map(({ sha256 }) => objectKey(sha256))),
    ...[...(await readDayFiles(store, releases)).keys()].map(objectKey),
  ]);
  return {
    site,
    copies: await createMemoryCopies(store),
    before,
    bodies,
    keys: [...bodies.keys()].sort(),
    releases: new Map(releases.map(({ record, sha256 }) => [sha256, record])),
    current: current.record,
    reachable,
    foreign: await createMemoryCopies(await createForeign()),
    input: await createMemoryCopies(await createInput(4)),
  };
}

async function createForeign(): Promise<ObjectStore> {
  const site = await createSignedSite(FIRST, { seed: 'foreign' });
  const store = createMemoryStore(() => parseInstant(SECOND) ?? NaN);
  await site.install(store);
  const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days: 4 })];
  await publishSeries(store, { inputs, asOf: SECOND, signing: site.signingAt(SECOND) });
  return store;
}

async function createInput(days: number): Promise<ObjectStore> {
  const store = createMemoryStore();
  const files = { 'arbitrum.csv': metricsCsv('arbitrum', days), 'sources.json': sourcesJson(['arbitrum']) };
  for (const [name, text] of Object.entries(files)) await store.putIfAbsent(name, Buffer.from(text), META);
  return store;
}

async function readSeries(input: ObjectStore, asOf: string): Promise<readonly InputSeries[]> {
  const folder = await openInputFolder('s3://own/input', () => Promise.resolve(input));
  return (await readInput({ folder, asOfMs: parseInstant(asOf) ?? NaN })).series;
}
