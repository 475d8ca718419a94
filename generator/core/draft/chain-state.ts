import { GENRES, WINDOWS } from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chainPagePath,
  chartDataPath,
  chartPath,
  lineageManifestPath,
  lineagePath,
  summaryPath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  DayLineage,
  Genre,
  LabelChange,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  SourceSegment,
  Window,
} from '../../../schemas/types.generated.js';
import {
  type Artifact,
  type FileTemplate,
  JSON_TYPE,
  jsonContent,
  type ReleaseStamp,
  toArtifact,
} from '../artifacts/artifact.js';
import { bundleFiles } from '../artifacts/bundle.js';
import { lastAvailableOf } from '../artifacts/chain-facts.js';
import { chartDataFile, type ChartPoint } from '../artifacts/chart-data.js';
import { chainChartFile } from '../charts/chart-files.js';
import { manifestFile, revisionsOf } from '../artifacts/manifest.js';
import { chainPage } from '../pages/chain-page.js';
import type { ChainVolumes } from '../volumes/draft-volumes.js';
import type { ReferenceTexts } from './site.js';
import { summaryFile, weeklySummaryFile } from '../artifacts/summary.js';

/** A list of files in a release record. */
export type Section = 'public' | 'bundles' | 'manifests';

/** State of a chain in the release being drafted: its listed dates and the data of its files. */
export type ChainState = {
  readonly chain: Chain;
  readonly updatedThrough: string;
  readonly sources: readonly SourceSegment[];
  readonly entries: { readonly [genre in Genre]: readonly ManifestDate[] };
  /** Contains at least every revision named by an entry. */
  readonly revisions: ManifestRevisions;
  readonly volumes: ChainVolumes;
  readonly calendar: FileTemplate;
  /** The meta records of the last `RECENT_DAYS` dates in force, ascending; empty when every date is withdrawn. */
  readonly lastRecords: readonly MetaDay[];
  /** The points of the chart for all dates in force, ascending. */
  readonly points: readonly ChartPoint[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
  readonly withdrawnDates: readonly string[];
  readonly labelChanges: readonly LabelChange[];
  /** Returns the text of the day file that an entry names. */
  readonly text: (entry: ManifestDate) => string;
};

/** The files of a chain by section of the release. */
type ChainFiles = { readonly [section in Section]: readonly FileTemplate[] };

/**
 * Returns the files of a chain. A chain without dates in force has only manifests.
 * Add a new kind of file per chain here, in `publicPathsOf`, in `schemas/release-paths.ts` and, if it always shows the newest
 * state, in `schemas/object-headers.ts`.
 */
export function chainFiles(state: ChainState, texts: ReferenceTexts): ChainFiles {
  const { chain, updatedThrough, sources, text } = state;
  const latest = state.lastRecords.at(-1);
  const shared = { chain, updatedThrough, methodologyVersion: texts.methodology.version };
  const manifests = GENRES.map((genre) => {
    const entries = state.entries[genre];
    const revisions = revisionsOf(entries, state.revisions);
    const volumes = genre === 'briefs' ? undefined : state.volumes[genre].listed;
    return manifestFile({ ...shared, genre, entries, revisions, sources, volumes });
  });
  if (latest === undefined) return { manifests, bundles: [], public: [] };
  const lastAvailable = lastAvailableOf(state.entries.meta);
  const shown = { records: state.lastRecords, lastAvailable, sources, methodology: texts.methodology };
  return {
    manifests,
    bundles: GENRES.filter((genre) => hasDatesInForce(state.entries[genre])).flatMap((genre) =>
      bundleFiles({ ...shared, genre, entries: state.entries[genre], text }),
    ),
    public: [
      state.calendar,
      summaryFile(latest, lastAvailable, sources),
      weeklySummaryFile(chain, {
        ...shown,
        address: texts.site.details?.base_url ?? '',
        template: texts.weeklySummary,
      }),
      chartDataFile(chain, state.points, texts.methodology),
      chainChartFile(chain, state.points, texts.methodology),
      chainPage(texts.site, chain, { ...shown, points: state.points }),
    ],
  };
}

/** Returns the paths of the files that a chain lacks while all its dates are withdrawn. */
export function absentPaths({ chain, entries }: Pick<ChainState, 'chain' | 'entries'>): string[] {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  const bundles = GENRES.filter((genre) => !hasDatesInForce(entries[genre])).flatMap((genre) =>
    windows.map((window) => bundlePath(genre, chain, window)),
  );
  return hasDatesInForce(entries.meta) ? bundles : [...bundles, ...publicPathsOf(chain)];
}

function hasDatesInForce(entries: readonly ManifestDate[]): boolean {
  return entries.some(({ status }) => status !== 'withdrawn');
}

export function publicPathsOf(chain: Chain): string[] {
  return [
    calendarPath(chain),
    chartDataPath(chain),
    summaryPath(chain),
    weeklySummaryPath(chain),
    chartPath(chain),
    chainPagePath(chain),
  ];
}

/** Returns `before.superseded` with `before` itself appended as the newest superseded version. */
export function supersede(before: ManifestDate, reason: string): ManifestDate['superseded'] {
  const { revision, in_force_from, sha256, bytes, status } = before;
  const old = { revision, in_force_from, sha256, bytes, reason };
  return [...before.superseded, status === 'withdrawn' ? { ...old, status } : old];
}

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
