import type { FileEntry, PublicEntry, ReleaseRecord } from '../../../schemas/types.generated.js';
import { toArtifact, type Artifact, type FileKind, type Stamp } from '../artifacts/artifact.js';
import { keepText } from '../artifacts/text-keeper.js';

/** A file's place in a release, and its content when it must be written. */
export type SettledFile = {
  readonly path: string;
  readonly type: string;
  readonly entry: FileEntry;
  /** Absent when the file is as it was published. */
  readonly artifact?: Artifact;
};

/**
 * Settles a file that names the last release that changed any other member of it: kept when it would be the same
 * under the release that it names now, made new under `stamp` otherwise.
 * `changed` skips the comparison where the caller knows its result.
 */
export function settleFile(
  kind: FileKind,
  previous: ReleaseRecord | undefined,
  stamp: Stamp,
  changed = false,
): SettledFile {
  const published = previous && publishedEntry(previous, kind.path);
  if (previous !== undefined && published !== undefined && !changed) {
    const before = stampOf(previous, published.revision);
    const rebuilt = toArtifact(kind.path, kind.type, () => kind.content(before));
    const sameType = !('type' in published) || published.type === kind.type;
    if (rebuilt.sha256 === published.sha256 && sameType) {
      return { path: kind.path, type: kind.type, entry: bare(published) };
    }
  }
  const made = kind.content(stamp);
  // Bundles cost much and are few: of one that is bounded by its window the text is kept, the rest is made again.
  const again = made.schema === 'bundle' ? keepText(made) : () => kind.content(stamp);
  const artifact = toArtifact(kind.path, kind.type, again, made);
  const { sha256, bytes } = artifact;
  return { path: kind.path, type: kind.type, entry: { sha256, bytes, revision: stamp.revision }, artifact };
}

/** The release that a revision of the record names. @throws Error when the record does not know it. */
export function stampOf(record: ReleaseRecord, revision: string): Stamp {
  const terms = record.revisions[revision];
  if (terms === undefined) throw new Error(`release ${record.revision} has no terms of revision ${revision}`);
  return { revision, sequence: terms.sequence, publishedAt: terms.published_at };
}

function publishedEntry(record: ReleaseRecord, path: string): FileEntry | PublicEntry | undefined {
  return record.public[path] ?? record.bundles[path] ?? record.manifests[path];
}

function bare({ sha256, bytes, revision }: FileEntry): FileEntry {
  return { sha256, bytes, revision };
}
