import { lineageManifestPath, lineagePath } from '../../../schemas/paths.js';
import type {
  Chain,
  DayLineage,
  Manifest,
  ManifestDate,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import {
  type Artifact,
  type FileTemplate,
  JSON_TYPE,
  jsonContent,
  type ReleaseStamp,
  toArtifact,
} from '../artifacts/artifact.js';
import { manifestFile, revisionsOf, supersede } from '../artifacts/manifest.js';

/** The schema of the files that a manifest of lineage lists. */
export const LINEAGE_SCHEMA = 'day-lineage/1';

/** Public reason of the lineages that a later one supersedes. */
const EXTENDED = 'the ledger has more lines about the date';

/** The lineages of a chain that are not published yet, each with the digest of its lines of the ledger. */
export type NewLineages = {
  readonly chain: Chain;
  readonly dates: readonly { readonly ledgerSha256: string; readonly document: DayLineage }[];
};

/** The manifest of the lineages of a chain, and the lineages to write. */
export type LineageDraft = { readonly file: FileTemplate; readonly artifacts: readonly Artifact[] };

/** Options for `draftLineages`. */
type LineageOptions = {
  readonly chain: Chain;
  readonly updatedThrough: string;
  readonly sources: readonly SourceSegment[];
  readonly methodologyVersion: string;
  readonly stamp: ReleaseStamp;
  /** The published manifest of lineages. */
  readonly before: Manifest | undefined;
};

/** Drafts the lineages of a chain: the published ones, and the new ones up to the newest published date. */
export function draftLineages({ dates }: NewLineages, options: LineageOptions): LineageDraft | undefined {
  const { chain, updatedThrough, methodologyVersion, stamp, before } = options;
  const entries = new Map(before?.dates.map((entry) => [entry.date, entry]));
  const artifacts: Artifact[] = [];
  for (const { ledgerSha256, document } of dates) {
    const { date } = document;
    if (date > updatedThrough) continue;
    const artifact = toArtifact(lineagePath(chain, date), JSON_TYPE, () =>
      jsonContent('day-lineage', document),
    );
    const old = entries.get(date);
    artifacts.push(artifact);
    entries.set(date, {
      date,
      sha256: artifact.sha256,
      bytes: artifact.bytes,
      schema: LINEAGE_SCHEMA,
      methodology_version: methodologyVersion,
      revision: stamp.revision,
      in_force_from: stamp.revision,
      status: 'available',
      path: artifact.path,
      superseded: old ? supersede(old, EXTENDED) : [],
      ledger_sha256: ledgerSha256,
    });
  }
  if (entries.size === 0) return undefined;
  const sorted = [...entries.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
  return { file: lineageManifest(sorted, options), artifacts };
}

/** Returns the manifest of the lineages of a chain. */
export function lineageManifest(entries: readonly ManifestDate[], options: LineageOptions): FileTemplate {
  const { chain, updatedThrough, sources, methodologyVersion, stamp, before } = options;
  const now = { updated_through: updatedThrough, published_at: stamp.publishedAt };
  const revisions = revisionsOf(entries, { ...before?.revisions, [stamp.revision]: now });
  const path = lineageManifestPath(chain);
  const shared = { chain, updatedThrough, sources, methodologyVersion };
  return manifestFile({ ...shared, genre: 'gold', entries, revisions, path });
}
