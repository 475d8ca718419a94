import type { Genre, Manifest, ReleaseRecord } from '../../../schemas/types.generated.js';
import { readPointer, readRecord } from '../../../generator/state/published-state.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

/** Reads the current release. */
export async function readCurrent(store: ObjectStore): Promise<ReleaseRecord> {
  const pointer = await readPointer(store);
  if (pointer === undefined) throw new Error('the store has no pointer');
  return readRecord(store, pointer.value);
}

/** Reads the manifests of a release by genre and chain, such as `gold base`. */
export async function readManifests(
  store: ObjectStore,
  record: ReleaseRecord,
): Promise<Map<`${Genre} ${string}`, Manifest>> {
  const manifests = new Map<`${Genre} ${string}`, Manifest>();
  for (const { sha256 } of Object.values(record.manifests)) {
    const manifest = await readArtifactJson(store, sha256, 'manifest');
    manifests.set(`${manifest.genre} ${manifest.chain}`, manifest);
  }
  return manifests;
}

/** Returns the version of a date as of a revision: a digest, `withdrawn`, or `undefined` if it was not published yet. */
export function versionAt(entry: Manifest['dates'][number], revision: string): string | undefined {
  const versions = [
    ...[...entry.superseded, entry].map(({ in_force_from: from, status, sha256 }) => ({
      from,
      version: status === 'withdrawn' ? 'withdrawn' : sha256,
    })),
  ];
  return versions.findLast(({ from }) => from <= revision)?.version;
}
