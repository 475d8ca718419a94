import { toPastRelease } from '../../generator/core/trust/release-statement.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { API_PATH, manifestPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import type { PastRelease, ReleaseRecord } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import {
  changesOf,
  contextOf,
  digestOf,
  publicFiles,
  stampOf,
  stampsUpTo,
  subscriberFiles,
  toJson,
  type VectorFiles,
  type VectorStamp,
} from './vector-files.js';

/** A release of the vectors with all its files but the signed ones. */
export type VectorRelease = {
  readonly record: ReleaseRecord;
  /** Digest of the record, whose text readers never see. */
  readonly sha256: string;
  /** The releases up to this one. */
  readonly history: readonly PastRelease[];
  readonly files: VectorFiles;
};

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  sql: 'application/sql; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** Returns the releases of the vectors, the first one first. */
export function vectorReleases(count: number): VectorRelease[] {
  const releases: VectorRelease[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1)
    releases.push(releaseAfter(releases.at(-1), stampOf(sequence)));
  return releases;
}

function releaseAfter(before: VectorRelease | undefined, stamp: VectorStamp): VectorRelease {
  const listed = publicFiles(stamp);
  const list = toJson('release', {
    schema: 'release/1',
    ...contextOf(stamp),
    files: [...listed]
      .map(([path, bytes]) => ({ path, ...digestOf(bytes), type: typeOf(path) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  });
  const shown = new Map([...listed, [PUBLIC_PATHS.release, Buffer.from(list)]]);
  const files = new Map([...shown, ...subscriberFiles(stamp)]);
  const record = recordOf(stamp, before, files, [...shown.keys()]);
  const sha256 = sha256Hex(canonicalJson(record));
  return { record, sha256, history: [...(before?.history ?? []), toPastRelease(record, sha256)], files };
}

function recordOf(
  stamp: VectorStamp,
  before: VectorRelease | undefined,
  files: VectorFiles,
  shown: readonly string[],
): ReleaseRecord {
  const { revision, sequence, publishedAt, updatedThrough } = stamp;
  const digest = (path: string) => digestOf(files.get(path) ?? '');
  const manifest = manifestPath('meta', 'bitcoin');
  return assertValid('release-record', {
    schema: 'release-record/1',
    revision,
    sequence,
    previous: before === undefined ? null : { revision: before.record.revision, sha256: before.sha256 },
    published_at: publishedAt,
    methodology: { version: 'v1', sha256: sha256Hex('methodology') },
    hold: null,
    chains: {
      bitcoin: {
        updated_through: updatedThrough,
        rows: sequence + 1,
        source: 'Simulated series A',
        input_sha256: sha256Hex(`input of ${revision}`),
        metrics: ['tx_count', 'active_addresses', 'fee_median'],
        writers_sha256: sha256Hex('writers'),
        methodology_sha256: sha256Hex('methodology'),
      },
    },
    public: Object.fromEntries(
      shown.map((path) => [path, { ...digest(path), type: typeOf(path), revision }]),
    ),
    bundles: {},
    manifests: { [manifest]: { ...digest(manifest), revision } },
    revisions: Object.fromEntries(
      stampsUpTo(stamp).map((each) => [
        each.revision,
        { sequence: each.sequence, published_at: each.publishedAt },
      ]),
    ),
    changes: changesOf(stamp),
  });
}

function typeOf(path: string): string {
  const [, extension] = /\.([a-z]+)$/.exec(path) ?? [];
  if (extension !== undefined) return TYPES[extension] ?? 'application/octet-stream';
  if (path.endsWith('/regime-calendar')) return TYPES['csv'] ?? '';
  return (path.startsWith(API_PATH) ? TYPES['json'] : TYPES['html']) ?? '';
}
