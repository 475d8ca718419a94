import type {
  Chain,
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import { manifestPath } from '../../../schemas/paths.js';
import { JSON_TYPE, jsonContent, type FileKind } from './artifact.js';
import { expectedNextBy } from './freshness.js';

/** What a manifest lists. */
export type ManifestTerms = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly updatedThrough: string;
  readonly methodologyVersion: string;
  readonly entries: readonly ManifestDate[];
  readonly revisions: ManifestRevisions;
  readonly sources: readonly SourceSegment[];
};

/** The manifest of one genre and chain. */
export function manifestFile(terms: ManifestTerms): FileKind {
  const { chain, genre, updatedThrough, entries } = terms;
  return {
    path: manifestPath(genre, chain),
    type: JSON_TYPE,
    content: (stamp) => {
      const manifest: Manifest = {
        schema: 'manifest/1',
        genre,
        chain,
        updated_through: updatedThrough,
        published_revision: stamp.revision,
        sequence: stamp.sequence,
        methodology_version: terms.methodologyVersion,
        expected_next_by: expectedNextBy(chain, updatedThrough),
        revisions: terms.revisions,
        dates: [...entries],
        ...(genre === 'gold' ? { sources: [...terms.sources] } : {}),
      };
      return jsonContent('manifest', manifest);
    },
  };
}

/** What the revisions that `entries` name were published with, taken from what is `known`. */
export function revisionsOf(entries: readonly ManifestDate[], known: ManifestRevisions): ManifestRevisions {
  const named = new Set<string>();
  for (const entry of entries) {
    for (const each of [entry, ...entry.superseded]) named.add(each.revision).add(each.in_force_from);
  }
  const revisions: ManifestRevisions = {};
  for (const revision of [...named].sort()) {
    const terms = known[revision];
    if (terms === undefined) throw new Error(`no terms of revision ${revision}`);
    revisions[revision] = terms;
  }
  return revisions;
}
