import { canonicalJson } from '../../schemas/canonical-json.js';
import { VOLUME_GENRES, type VolumeGenre } from '../../schemas/catalog.js';
import { subscriberTypeOf } from '../../schemas/object-headers.js';
import { manifestPath, objectKey } from '../../schemas/paths.js';
import type { Chain, Manifest, ManifestRevisions } from '../../schemas/types.generated.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { runSteps } from '../core/steps.js';
import { draftChainVolumes, type ChainVolumes } from '../core/volumes/chain-volumes.js';
import { listedFiles } from '../core/volumes/volume-files.js';
import { checkStoredFile, type Verifier } from './verifier.js';

type Manifests = { readonly [genre in VolumeGenre]: Manifest };

/**
 * Packs the volumes of a chain again from its day files, and compares them with those that the manifests list. `records`
 * are the sound day files by digest. Manifests of an earlier schema have no volumes.
 */
export async function checkVolumes(
  verifier: Verifier,
  chain: Chain,
  records: ReadonlyMap<string, DayRecord>,
): Promise<void> {
  const manifests = findManifests(verifier, chain);
  if (manifests === undefined) return;
  const packed = packVolumes(verifier, manifests, records);
  for (const genre of VOLUME_GENRES) {
    const { volumes = [] } = manifests[genre];
    const { listed, lacking } = packed[genre];
    // The faults of days that are lacking are already known.
    if (lacking.length === 0 && canonicalJson(volumes) !== canonicalJson(listed)) {
      const path = manifestPath(genre, chain);
      const key = objectKey(verifier.record.manifests[path]?.sha256 ?? '');
      verifier.faults.push({
        key,
        message: `${path}: its volumes differ from those packed from the day files`,
      });
    }
    for (const { path, sha256, bytes } of listedFiles(volumes)) {
      verifier.progress.advance();
      await checkStoredFile(verifier, path, { sha256, bytes, type: subscriberTypeOf(path) });
    }
  }
}

/** Returns the manifests of the genres with volumes, if all were read and have volumes. */
function findManifests({ manifests }: Verifier, chain: Chain): Manifests | undefined {
  const found = VOLUME_GENRES.flatMap((genre) => {
    const manifest = manifests.get(manifestPath(genre, chain));
    return manifest?.volumes === undefined ? [] : [[genre, manifest] as const];
  });
  return found.length === VOLUME_GENRES.length ? (Object.fromEntries(found) as Manifests) : undefined; // one of each
}

function packVolumes(
  { methodology }: Verifier,
  { meta, gold, derived }: Manifests,
  records: ReadonlyMap<string, DayRecord>,
): ChainVolumes {
  const revisions: ManifestRevisions = { ...meta.revisions, ...gold.revisions, ...derived.revisions };
  return runSteps(
    draftChainVolumes({
      ...{ chain: meta.chain, updatedThrough: meta.updated_through, sources: gold.sources ?? [] },
      entries: { meta: meta.dates, gold: gold.dates, derived: derived.dates },
      ...{ methodology, revisions, record: (_entry, sha256) => records.get(sha256) },
    }),
  );
}
