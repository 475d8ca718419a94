import { parseInstant } from '../../schemas/dates.js';
import { dispositionOf } from '../../schemas/paths.js';
import type { Changes, ReleaseRecord } from '../../schemas/types.generated.js';
import { findVersion, type DayIndex } from './day-index.js';
import { pathOf, urlPathOf, type FileRequest } from './file-request.js';

const JSON_TYPE = 'application/json';

/** What is known of a file that the release holds. */
export type FileFacts = {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** The last release that changed the file. */
  readonly revision: string;
  /** `Content-Disposition`, for a reader that keeps the file. */
  readonly disposition: string;
  readonly etag: `"sha256:${string}"`;
};

/** A whole release, as the gateway looks things up in it. It never changes; the next release is another one. */
export type ReleaseView = {
  readonly revision: string;
  readonly sequence: number;
  readonly publishedAtMs: number;
  /** Digest of the release record. */
  readonly sha256: string;
  /** Public files by URL path. */
  readonly publicFiles: ReadonlyMap<string, FileFacts>;
  /** Bundles and manifests by URL path. */
  readonly files: ReadonlyMap<string, FileFacts>;
  /** The dates of each manifest, by the folder of its day files. */
  readonly days: ReadonlyMap<string, DayIndex>;
  /** Every revision that is known to have been in force. */
  readonly revisions: ReadonlySet<string>;
};

/** What a release is made of, read and verified. `days` has an index for each manifest of the record, by its digest. */
export type ReleaseParts = {
  readonly record: ReleaseRecord;
  readonly sha256: string;
  readonly changes: Changes;
  readonly days: ReadonlyMap<string, DayIndex>;
};

/** The release of a record. */
export function toReleaseView({ record, sha256, changes, days }: ReleaseParts): ReleaseView {
  const files = new Map<string, FileFacts>();
  for (const [path, { sha256: digest, bytes, revision }] of [
    ...Object.entries(record.bundles),
    ...Object.entries(record.manifests),
  ]) {
    files.set(path, toFacts(path, { sha256: digest, bytes, revision, type: JSON_TYPE }));
  }
  const publicFiles = Object.entries(record.public).map(
    ([path, entry]) => [path, toFacts(path, entry)] as const,
  );
  const indexes = Object.entries(record.manifests).flatMap(([path, entry]) => {
    const index = days.get(entry.sha256);
    return index === undefined ? [] : [[folderOf(path), index] as const];
  });
  return {
    revision: record.revision,
    sequence: record.sequence,
    publishedAtMs: parseInstant(record.published_at) ?? 0,
    sha256,
    publicFiles: new Map(publicFiles),
    files,
    days: new Map(indexes),
    revisions: new Set([
      record.revision,
      ...Object.keys(record.revisions),
      ...changes.releases.map(({ revision }) => revision),
      ...indexes.flatMap(([, index]) => index.revisions),
    ]),
  };
}

type Entry = {
  readonly sha256: string;
  readonly bytes: number;
  readonly revision: string;
  readonly type: string;
};

function toFacts(path: string, { sha256, bytes, revision, type }: Entry): FileFacts {
  return {
    path,
    sha256,
    sizeBytes: bytes,
    mediaType: type,
    revision,
    disposition: dispositionOf(path) ?? 'inline',
    etag: `"sha256:${sha256}"`,
  };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Where a file is: in the release, withdrawn, nowhere, or perhaps in a later release than this one. */
export type Whereabouts =
  { readonly kind: 'found'; readonly facts: FileFacts } | { readonly kind: 'gone' | 'absent' | 'ahead' };

/** Looks a file up in a release. What is asked for is compared with what the release lists, and never made a key. */
export function locate(release: ReleaseView, request: FileRequest): Whereabouts {
  if (request.kind !== 'day') {
    const facts = release.files.get(pathOf(request));
    return facts === undefined ? { kind: 'ahead' } : { kind: 'found', facts };
  }
  const path = urlPathOf(request);
  const { date, revision } = request;
  const index = release.days.get(folderOf(path));
  if (index === undefined) return { kind: 'ahead' };
  if (revision !== null && revision > release.revision) return { kind: 'ahead' };
  if (revision !== null && !release.revisions.has(revision)) return { kind: 'absent' };
  const version = findVersion(index, date, revision);
  if (version === undefined) {
    return { kind: revision === null && date > index.updatedThrough ? 'ahead' : 'absent' }; // the past stays as it was
  }
  if (version.kind === 'withdrawn') return { kind: 'gone' };
  return { kind: 'found', facts: toFacts(path, { ...version, type: JSON_TYPE }) };
}
