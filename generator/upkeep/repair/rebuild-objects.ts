import { count } from '../../../schemas/words.js';
import pMap from 'p-map';
import { GENRES } from '../../../schemas/catalog.js';
import {
  manifestPath,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  releaseKey,
} from '../../../schemas/paths.js';
import type { Manifest, Site } from '../../../schemas/types.generated.js';
import type { ObjectMeta, ObjectStore } from '../../../infra/store/object-store.js';
import { type Artifact, bodyOf, JSON_TYPE, jsonContent, toArtifact } from '../../core/artifacts/artifact.js';
import type { InputSeries } from '../../core/input/input-series.js';
import { createDayWriters, type DayWriters } from '../../core/records/day-writers.js';
import { metaOf, unlessDamaged } from '../../state/stored-json.js';
import { guessBroken, readReadableReleases, releasesThatMade, replayRelease } from './past-releases.js';
import { readProductTexts } from '../../texts/product-texts.js';
import type { Progress } from '../../run/progress.js';
import { readManifest, type StoredRelease } from '../../state/published-state.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { StoreFault } from '../../core/store-fault.js';

const CONCURRENCY = 16;

/** Options for `rebuildObjects`. */
type RebuildOptions = {
  readonly inputs: readonly InputSeries[];
  /** The site of the input. */
  readonly site: Site | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Called with each key that was restored. */
  readonly onRestored: (key: string) => void;
};

/**
 * Rebuilds lost objects from the input and the readable releases, and restores those whose bytes have exactly the lost
 * digest. Returns their digests. Day files are rebuilt from their manifests. Every other file, and the record at
 * which the releases cannot be read, is rebuilt by planning its release again.
 */
export async function rebuildObjects(
  store: ObjectStore,
  lost: LostObjects,
  options: RebuildOptions,
): Promise<string[]> {
  const { progress, signal } = options;
  progress.begin('rebuild', lost.size);
  const pending = createPending(store, lost, options);
  const readable = await readReadableReleases(store);
  const [current] = readable.releases;
  if (current !== undefined) {
    for (const series of options.inputs) {
      signal.throwIfAborted();
      await pending.putFiles(await rebuildChainDays(store, current, series, pending.digests));
    }
  }
  for (const release of [
    ...(await guessBroken(store, readable, options.site)),
    ...releasesThatMade(readable, lost),
  ]) {
    signal.throwIfAborted();
    const planned = await replayRelease(store, release, options);
    if (planned === undefined) continue;
    await pending.putFiles(planned.artifacts);
    const key = releaseKey(planned.record.revision, planned.sha256);
    await pending.put(planned.sha256, () => planned.recordText, { key });
  }
  const rebuilt = [...lost.keys()].filter((sha256) => !pending.digests.has(sha256));
  progress.end(`${rebuilt.length} of ${count(lost.size, 'object')}`);
  return rebuilt;
}

/** The objects that are still lost. */
type Pending = {
  readonly digests: ReadonlySet<string>;
  /** Restores the object with this digest, if it is still lost. */
  readonly put: (sha256: string, body: () => string | Uint8Array, named: Named) => Promise<void>;
  readonly putFiles: (files: readonly Artifact[]) => Promise<void>;
};

type Named = { readonly key: string; readonly type?: string; readonly path?: string };

function createPending(
  store: ObjectStore,
  lost: LostObjects,
  { progress, signal, onRestored }: RebuildOptions,
): Pending {
  const digests = new Set(lost.keys());
  const put: Pending['put'] = async (sha256, body, { key, type, path }) => {
    if (!digests.has(sha256)) return;
    signal.throwIfAborted();
    if (await restoreObject(store, key, Buffer.from(body()), metaOf(key, type, path))) onRestored(key);
    digests.delete(sha256);
    progress.advance();
  };
  return {
    digests,
    put,
    async putFiles(files) {
      await pMap(
        files.filter(({ sha256 }) => digests.has(sha256)),
        ({ sha256, content, type, path }) =>
          put(sha256, () => bodyOf(content()), { key: objectKey(sha256), type, path }),
        { concurrency: CONCURRENCY },
      );
    },
  };
}

/** Rebuilds the wanted day files of a chain, using the readable manifests of the current release. */
async function rebuildChainDays(
  store: ObjectStore,
  { record }: StoredRelease,
  series: InputSeries,
  wanted: ReadonlySet<string>,
): Promise<Artifact[]> {
  const entries = GENRES.flatMap((genre) => record.manifests[manifestPath(genre, series.chain)] ?? []);
  const manifests = await Promise.all(
    entries.map(({ sha256, bytes }) => unlessDamaged(() => readManifest(store, sha256, bytes))),
  );
  const listing = manifests
    .flatMap((manifest) => manifest ?? [])
    .filter((manifest) => namesAny(manifest, wanted));
  if (listing.length === 0) return [];
  const writers = createDayWriters(series, await readProductTexts());
  return listing.flatMap((manifest) => rebuildDays(manifest, series, writers, wanted));
}

function namesAny(manifest: Manifest, wanted: ReadonlySet<string>): boolean {
  return manifest.dates.some((entry) =>
    [entry, ...entry.superseded].some(({ sha256 }) => wanted.has(sha256)),
  );
}

/**
 * Rebuilds the day files of a manifest that have one of the `wanted` digests, and returns those whose digest matches.
 * Each is written with the provenance of its own revision. A superseded version is rebuilt only if `series` still holds
 * the values it was computed from; otherwise its digest differs and it is omitted.
 */
function rebuildDays(
  manifest: Manifest,
  series: InputSeries,
  writers: DayWriters,
  wanted: ReadonlySet<string>,
): Artifact[] {
  const indexOf = new Map(series.dates.map((date, t) => [date, t]));
  return manifest.dates.flatMap((entry) => {
    const t = indexOf.get(entry.date);
    if (t === undefined) return [];
    const versions = [entry, ...entry.superseded].filter(({ sha256 }) => wanted.has(sha256));
    return versions.flatMap(({ sha256, revision }) => {
      const provenance = { revision, updatedThrough: manifest.revisions[revision]?.updated_through ?? '' };
      const schema = entry.schema.split('/')[0] as SchemaName; // a schema id is `<name>/<version>`
      const artifact = toArtifact(entry.path, JSON_TYPE, () =>
        jsonContent(schema, writers.write(entry.schema, t, provenance)),
      );
      return artifact.sha256 === sha256 ? [artifact] : [];
    });
  });
}

const READ_CONCURRENCY = 8;
/** Size of which no object that can be rebuilt is, in bytes. */
const MAX_REBUILT_BYTES = 16_000_000;

/** Keys of missing and damaged objects, by the digest of the right bytes. */
type LostObjects = ReadonlyMap<string, string>;

/** Returns the artifacts and release records among the faults that are missing or do not match their digest. */
export async function findLostObjects(
  store: ObjectStore,
  faults: readonly StoreFault[],
): Promise<LostObjects> {
  const lost = new Map<string, string>();
  const keys = [...new Set(faults.map(({ key }) => key))];
  await pMap(
    keys,
    async (key) => {
      const sha256 = digestOfKey(key);
      if (sha256 === undefined) return;
      const found = await store.get(key, MAX_REBUILT_BYTES);
      if (found === undefined || sha256Hex(found.bytes) !== sha256) lost.set(sha256, key);
    },
    { concurrency: READ_CONCURRENCY },
  );
  return lost;
}

/** Returns the digest in the key of an artifact or release record. */
function digestOfKey(key: string): string | undefined {
  return parseObjectKey(key) ?? parseReleaseKey(key)?.sha256;
}

/**
 * Restores a missing or damaged object. Returns whether it was written; `false` if it is intact or another process has written it meanwhile.
 * @throws Error if `body` does not have the digest in the key.
 */
async function restoreObject(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  meta: ObjectMeta,
): Promise<boolean> {
  const sha256 = digestOfKey(key);
  if (sha256Hex(body) !== sha256) throw new Error(`${key}: the bytes do not have this digest`);
  const found = await store.get(key, body.length + 1);
  if (found === undefined) return (await store.putIfAbsent(key, body, meta)) === 'created';
  if (sha256Hex(found.bytes) === sha256) return false;
  return (await store.compareAndSwap(key, body, found.etag, meta)) !== 'conflict';
}
