import type {
  Chain,
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  ManifestVolume,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import { manifestPath } from '../../../schemas/paths.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from './artifact.js';
import { expectedNextBy } from './freshness.js';

/** Options for `manifestFile`. */
type ManifestOptions = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly updatedThrough: string;
  readonly methodologyVersion: string;
  readonly entries: readonly ManifestDate[];
  readonly revisions: ManifestRevisions;
  readonly sources: readonly SourceSegment[];
  /** Absent for a manifest without volumes. */
  readonly volumes?: readonly ManifestVolume[] | undefined;
  /** Path of the manifest, unless it is that of the genre's day files. */
  readonly path?: string;
};

export function manifestFile(options: ManifestOptions): FileTemplate {
  const { chain, genre, updatedThrough, entries, volumes } = options;
  return {
    path: options.path ?? manifestPath(genre, chain),
    type: JSON_TYPE,
    content: (stamp) => {
      const manifest: Manifest = {
        schema: volumes === undefined ? 'manifest/1' : 'manifest/2',
        genre,
        chain,
        updated_through: updatedThrough,
        published_revision: stamp.revision,
        sequence: stamp.sequence,
        methodology_version: options.methodologyVersion,
        expected_next_by: expectedNextBy(chain, updatedThrough, options.sources),
        revisions: options.revisions,
        dates: [...entries],
        ...(volumes === undefined ? {} : { volumes: [...volumes] }),
        ...(genre === 'gold' ? { sources: [...options.sources] } : {}),
      };
      return jsonContent('manifest', manifest);
    },
  };
}

/** Returns those of the `known` revisions that `entries` name. */
export function revisionsOf(entries: readonly ManifestDate[], known: ManifestRevisions): ManifestRevisions {
  const named = new Set<string>();
  for (const entry of entries) {
    for (const each of [entry, ...entry.superseded]) named.add(each.revision).add(each.in_force_from);
  }
  const revisions: ManifestRevisions = {};
  for (const revision of [...named].sort()) {
    const description = known[revision];
    if (description === undefined) throw new Error(`unknown revision ${revision}`);
    revisions[revision] = description;
  }
  return revisions;
}

/** Returns `before.superseded` with `before` itself appended as the newest superseded version. */
export function supersede(before: ManifestDate, reason: string): ManifestDate['superseded'] {
  const { revision, in_force_from, sha256, bytes, status } = before;
  const old = { revision, in_force_from, sha256, bytes, reason };
  return [...before.superseded, status === 'withdrawn' ? { ...old, status } : old];
}
