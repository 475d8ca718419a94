import { subscriberTypeOf } from '../../../schemas/object-headers.js';
import type { FileEntry, PublicEntry, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ChainVolumes } from '../volumes/draft-volumes.js';
import { listedFiles } from '../volumes/volume-files.js';
import { toArtifact, type Artifact, type FileTemplate, type ReleaseStamp } from '../artifacts/artifact.js';

/** A file of a release, with its content when it must be written. */
export type SettledFile = {
  readonly path: string;
  readonly type: string;
  readonly entry: FileEntry;
  /** Absent when the published file is unchanged, or the file is already written. */
  readonly artifact?: Artifact;
};

/**
 * Decides whether a file is kept or written again. A file names the last release that changed it: it is kept when it
 * would have the same bytes under that release, and is written under `stamp` otherwise.
 * `changed` skips the comparison when the caller knows that the file changed.
 */
export function settleFile(
  template: FileTemplate,
  previous: ReleaseRecord | undefined,
  stamp: ReleaseStamp,
  changed = false,
): SettledFile {
  const published = previous && publishedEntry(previous, template.path);
  if (previous !== undefined && published !== undefined && !changed) {
    const before = stampOf(previous, published.revision);
    const rebuilt = toArtifact(template.path, template.type, () => template.content(before));
    const sameType = !('type' in published) || published.type === template.type;
    if (rebuilt.sha256 === published.sha256 && sameType) {
      return { path: template.path, type: template.type, entry: withoutType(published) };
    }
  }
  const rendered = template.content(stamp);
  const artifact = toArtifact(template.path, template.type, () => rendered, rendered);
  const { sha256, bytes } = artifact;
  return {
    path: template.path,
    type: template.type,
    entry: { sha256, bytes, revision: stamp.revision },
    artifact,
  };
}

/** Returns the files of a chain's volumes. Those that are published with the same digest are kept. */
export function settleVolumes(
  volumes: ChainVolumes,
  previous: ReleaseRecord | undefined,
  { revision }: ReleaseStamp,
): SettledFile[] {
  return Object.values(volumes).flatMap(({ listed, files }) => {
    const made = new Map(files.map((artifact) => [artifact.path, artifact]));
    return listedFiles(listed).map(({ path, sha256, bytes }): SettledFile => {
      const published = previous?.bundles[path];
      const type = subscriberTypeOf(path);
      if (published?.sha256 === sha256) return { path, type, entry: published };
      const artifact = made.get(path);
      return {
        path,
        type,
        entry: { sha256, bytes, revision },
        ...(artifact === undefined ? {} : { artifact }),
      };
    });
  });
}

/** Returns the stamp of a revision that the record lists. @throws Error if it does not list the revision. */
export function stampOf(record: ReleaseRecord, revision: string): ReleaseStamp {
  const named = record.revisions[revision];
  if (named === undefined) throw new Error(`release ${record.revision} does not list revision ${revision}`);
  return { revision, sequence: named.sequence, publishedAt: named.published_at };
}

function publishedEntry(record: ReleaseRecord, path: string): FileEntry | PublicEntry | undefined {
  return record.public[path] ?? record.bundles[path] ?? record.manifests[path];
}

function withoutType({ sha256, bytes, revision }: FileEntry): FileEntry {
  return { sha256, bytes, revision };
}
