import { byChain, CHAIN_IDS, type VolumeFormat } from '../../../schemas/catalog.js';
import { parseInstant } from '../../../schemas/dates.js';
import { dispositionOf, subscriberTypeOf } from '../../../schemas/object-headers.js';
import { freshnessLimits, type FreshnessLimits } from '../../../schemas/freshness.js';
import { archivePath, lineageManifestPath, volumePath } from '../../../schemas/paths.js';
import type { Chain, Changes, ReleaseRecord, Site, Status } from '../../../schemas/types.generated.js';
import { findVersion, type DayIndex, type DayVersion } from './day-index.js';
import { listedPathOf, pathOf, type FileRequest } from '../access/file-request.js';

const JSON_TYPE = 'application/json';

/** A file of the release. */
export type FileFacts = {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** Revision of the last release that changed the file. */
  readonly revision: string;
  /** Value of `Content-Disposition`. */
  readonly disposition: string;
  readonly etag: `"sha256:${string}"`;
};

/** An immutable release with the indexes that the gateway looks files up in. */
export type ReleaseView = {
  readonly revision: string;
  readonly sequence: number;
  readonly publishedAtMs: number;
  /** Digest of the release record. */
  readonly sha256: string;
  /** Public files by URL path. */
  readonly publicFiles: ReadonlyMap<string, FileFacts>;
  /** Bundles, volumes and manifests by URL path. */
  readonly files: ReadonlyMap<string, FileFacts>;
  /** Indexes of the manifests by the folder of their day files, and of manifests of lineage by their own path. */
  readonly days: ReadonlyMap<string, DayIndex>;
  /** When each published chain becomes late and stale. */
  readonly limits: { readonly [chain in Chain]?: FreshnessLimits };
  /** Name of the service, its publisher and its pages; absent in releases from before a site was configured. */
  readonly site: Site | undefined;
  /** All revisions that have been in force. */
  readonly revisions: ReadonlySet<string>;
};

/** The verified parts of a release. `days` contains the indexes of its manifests by digest. */
type ReleaseParts = {
  readonly record: ReleaseRecord;
  readonly sha256: string;
  readonly changes: Changes;
  readonly status: Status;
  readonly days: ReadonlyMap<string, DayIndex>;
};

/** Combines the parts of a release. */
export function toReleaseView({ record, sha256, changes, status, days }: ReleaseParts): ReleaseView {
  const files = new Map<string, FileFacts>();
  for (const [path, { sha256: digest, bytes, revision }] of [
    ...Object.entries(record.bundles),
    ...Object.entries(record.manifests),
  ]) {
    files.set(path, toFacts(path, { sha256: digest, bytes, revision, type: subscriberTypeOf(path) }));
  }
  const publicFiles = Object.entries(record.public).map(
    ([path, entry]) => [path, toFacts(path, entry)] as const,
  );
  const indexes = Object.entries(record.manifests).flatMap(([path, entry]) => {
    const index = days.get(entry.sha256);
    return index === undefined ? [] : [[listOf(path), index] as const];
  });
  return {
    revision: record.revision,
    sequence: record.sequence,
    publishedAtMs: parseInstant(record.published_at) ?? 0,
    sha256,
    publicFiles: new Map(publicFiles),
    files,
    days: new Map(indexes),
    limits: byChain((chain) => {
      const found = status.chains[chain];
      return found && freshnessLimits(chain, found.last_available);
    }),
    site: record.site,
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

const LINEAGE_MANIFESTS: ReadonlySet<string> = new Set(CHAIN_IDS.map(lineageManifestPath));

/** Returns the name under which the dates of a manifest are found. */
function listOf(path: string): string {
  return LINEAGE_MANIFESTS.has(path) ? path : folderOf(path);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The location of a file: found, withdrawn (`gone`), absent, or possibly in a later release (`ahead`). */
export type FileLocation =
  { readonly kind: 'found'; readonly facts: FileFacts } | { readonly kind: 'gone' | 'absent' | 'ahead' };

/** Looks up a file in a release. A request is only compared with listed files; it never becomes a store key. */
export function locate(release: ReleaseView, request: FileRequest): FileLocation {
  if (request.kind === 'lineage') return locateLineage(release, request);
  if (request.kind !== 'day') {
    const facts = release.files.get(listedPathOf(request));
    return facts === undefined ? { kind: 'ahead' } : { kind: 'found', facts };
  }
  const path = pathOf(request);
  const { date, revision } = request;
  const index = release.days.get(folderOf(path));
  if (index === undefined) return { kind: 'ahead' };
  if (revision !== null && revision > release.revision) return { kind: 'ahead' };
  if (revision !== null && !release.revisions.has(revision)) return { kind: 'absent' };
  const version = findVersion(index, date, revision);
  if (version === undefined) {
    return { kind: revision === null && date > index.updatedThrough ? 'ahead' : 'absent' }; // up to its last date, the release is complete
  }
  if (version.kind === 'withdrawn') return { kind: 'gone' };
  return { kind: 'found', facts: toFacts(path, { ...version, type: JSON_TYPE }) };
}

/** Returns the volumes of an archive that a release lists. */
export function volumesOf(
  release: ReleaseView,
  { genre, chain }: Pick<FileRequest, 'genre' | 'chain'>,
  format: VolumeFormat,
): FileFacts[] {
  const [before = '', after = ''] = volumePath(genre, chain, '{period}', format).split('{period}');
  return [...release.files.values()].filter(({ path }) => path.startsWith(before) && path.endsWith(after));
}

/** Looks up a lineage. A release without any of the chain has none, because the chain is not collected. */
function locateLineage(
  release: ReleaseView,
  request: Extract<FileRequest, { kind: 'lineage' }>,
): FileLocation {
  const { chain, date } = request;
  const days = release.days.get(archivePath('gold', chain));
  const version = findListed(release.days.get(lineageManifestPath(chain)), date);
  if (version?.kind === 'published')
    return { kind: 'found', facts: toFacts(pathOf(request), { ...version, type: JSON_TYPE }) };
  if (version?.kind === 'withdrawn') return { kind: 'gone' };
  return { kind: days === undefined || date > days.updatedThrough ? 'ahead' : 'absent' };
}

function findListed(index: DayIndex | undefined, date: string): DayVersion | undefined {
  return index && findVersion(index, date, null);
}
