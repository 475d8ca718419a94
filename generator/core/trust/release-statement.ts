import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  GeneratorBuild,
  PastRelease,
  ReleaseRecord,
  ReleaseStatement,
} from '../../../schemas/types.generated.js';

/** What a statement says in addition to its release record. */
type StatementContext = {
  readonly site: string;
  /** Digest of the history up to the release. */
  readonly historySha256: string;
  readonly generator: GeneratorBuild;
};

/** Returns the statement about the release record with this digest. */
export function toStatement(
  record: ReleaseRecord,
  sha256: string,
  { site, historySha256, generator }: StatementContext,
): ReleaseStatement {
  const { revision, sequence, previous, published_at } = record;
  const release = record.public[PUBLIC_PATHS.release];
  if (release === undefined) throw new TypeError(`${revision} lists no ${PUBLIC_PATHS.release}`);
  return {
    schema: 'release-statement/1',
    site,
    revision,
    sequence,
    sha256,
    previous,
    release_sha256: release.sha256,
    manifests: Object.fromEntries(
      Object.entries(record.manifests).map(([path, manifest]) => [path, manifest.sha256]),
    ),
    history_sha256: historySha256,
    published_at,
    generator,
  };
}

/** Returns the entry of a release in the list of all releases. */
export function toPastRelease(record: ReleaseRecord, sha256: string): PastRelease {
  const { sequence, revision, published_at } = record;
  return { sequence, revision, sha256, published_at };
}
