import pMap from 'p-map';
import { GENRES } from '../../schemas/catalog.js';
import { manifestPath, objectKey, releaseKey } from '../../schemas/paths.js';
import type { Manifest } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact } from '../core/artifacts/artifact.js';
import type { InputSeries } from '../core/input-series.js';
import { createDayWriters } from '../core/records/day-writers.js';
import { rebuildDays } from '../core/release/rebuild-days.js';
import { putBack, type LostObjects } from './lost-objects.js';
import { metaOf } from './object-meta.js';
import { guessBroken, readReadableChain, releasesThatMade } from './past-releases.js';
import { readProductTexts } from './product-texts.js';
import type { Progress } from './progress.js';
import { replayRelease } from './replay-release.js';
import type { ChainRelease } from './reachable-objects.js';
import { readArtifactJson } from './stored-json.js';
import { unlessDamaged } from './unless-damaged.js';

const CONCURRENCY = 16;

/** What lost bytes are rebuilt from, and what a rebuilding may use of the outside world. */
export type RebuildTerms = {
  readonly inputs: readonly InputSeries[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Hears of each key that was put back. */
  readonly onRestored: (key: string) => void;
};

/**
 * Makes lost objects again from the input and the releases that can be read, and puts back those whose bytes come out
 * with exactly the lost digest; resolves whether there were any. Days come from their manifests; every other file, and
 * the record at which the chain breaks off, from planning the release that made it once more.
 */
export async function rebuildObjects(
  store: ObjectStore,
  lost: LostObjects,
  terms: RebuildTerms,
): Promise<boolean> {
  const { progress, signal } = terms;
  progress.begin('rebuild', lost.size);
  const pending = createPending(store, lost, terms);
  const chain = await readReadableChain(store);
  const [current] = chain.releases;
  if (current !== undefined) {
    for (const series of terms.inputs) {
      signal.throwIfAborted();
      await pending.putFiles(await rebuildChainDays(store, current, series, pending.digests));
    }
  }
  for (const release of [...(await guessBroken(store, chain)), ...releasesThatMade(chain, lost)]) {
    signal.throwIfAborted();
    const planned = await replayRelease(store, release, terms);
    if (planned === undefined) continue;
    await pending.putFiles(planned.artifacts);
    const key = releaseKey(planned.record.revision, planned.sha256);
    await pending.put(planned.sha256, () => planned.recordText, { key });
  }
  const found = lost.size - pending.digests.size;
  progress.end(`${found} of ${lost.size} objects`);
  return found > 0;
}

type Pending = {
  /** The digests that were not met yet. */
  readonly digests: ReadonlySet<string>;
  readonly put: (sha256: string, text: () => string, named: Named) => Promise<void>;
  readonly putFiles: (files: readonly Artifact[]) => Promise<void>;
};

type Named = { readonly key: string; readonly type?: string; readonly path?: string };

/** What is still lost: whatever it is given of that, it puts back. */
function createPending(
  store: ObjectStore,
  lost: LostObjects,
  { progress, signal, onRestored }: RebuildTerms,
): Pending {
  const digests = new Set(lost.keys());
  const put: Pending['put'] = async (sha256, text, { key, type, path }) => {
    if (!digests.has(sha256)) return;
    signal.throwIfAborted();
    if (await putBack(store, key, Buffer.from(text(), 'utf8'), metaOf(key, type, path))) onRestored(key);
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
          put(sha256, () => content().text, { key: objectKey(sha256), type, path }),
        { concurrency: CONCURRENCY },
      );
    },
  };
}

/** The lost day files of a chain that the series gives, by the manifests of the current release that can be read. */
async function rebuildChainDays(
  store: ObjectStore,
  { record }: ChainRelease,
  series: InputSeries,
  wanted: ReadonlySet<string>,
): Promise<Artifact[]> {
  const entries = GENRES.flatMap((genre) => record.manifests[manifestPath(genre, series.chain)] ?? []);
  const manifests = await Promise.all(
    entries.map(({ sha256 }) => unlessDamaged(() => readArtifactJson(store, sha256, 'manifest'))),
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
