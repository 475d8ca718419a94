import { GENRES, WINDOWS } from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chartPath,
  chainPagePath,
  summaryPath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  LabelChange,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  SourceSegment,
  Window,
} from '../../../schemas/types.generated.js';
import type { FileKind } from '../artifacts/artifact.js';
import { bundleFiles } from '../artifacts/bundle.js';
import { lastAvailableOf } from '../artifacts/chain-facts.js';
import { chainChartFile } from '../artifacts/chart-files.js';
import { manifestFile, revisionsOf } from '../artifacts/manifest.js';
import { chainPage } from '../artifacts/pages/chain-page.js';
import type { ReferenceTexts } from '../artifacts/reference-files.js';
import { summaryFile } from '../artifacts/summary.js';
import { weeklySummaryFile } from '../artifacts/weekly-summary.js';
import type { DayRecord } from '../records/day-writers.js';

/** The three lists of files in a release record. */
export type Section = 'public' | 'bundles' | 'manifests';

/** The next state of a chain: its listed dates, and what its files are made from. */
export type ChainState = {
  readonly chain: Chain;
  readonly updatedThrough: string;
  readonly sources: readonly SourceSegment[];
  readonly entries: { readonly [genre in Genre]: readonly ManifestDate[] };
  /** What the revisions that the entries name, and maybe others, were published with. */
  readonly revisions: ManifestRevisions;
  readonly calendar: FileKind;
  /** The meta records of the last `CHART_DAYS` dates in force, ascending; empty when every date is withdrawn. */
  readonly lastRecords: readonly MetaDay[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
  readonly withdrawnDates: readonly string[];
  readonly labelChanges: readonly LabelChange[];
  /** The record whose bytes an entry names. */
  readonly record: (entry: ManifestDate) => DayRecord;
};

/** The files of a chain by section of the release. */
export type ChainFiles = { readonly [section in Section]: readonly FileKind[] };

/**
 * The files of a chain, by what of its state they change with. A chain of which nothing is in force has manifests
 * only. A new kind of file per chain is added here and in `publicPathsOf`.
 */
export function chainFiles(state: ChainState, texts: ReferenceTexts): ChainFiles {
  const { chain, updatedThrough, sources, record } = state;
  const latest = state.lastRecords.at(-1);
  const shared = { chain, updatedThrough, methodologyVersion: texts.methodology.version };
  const manifests = GENRES.map((genre) => {
    const entries = state.entries[genre];
    const revisions = revisionsOf(entries, state.revisions);
    return manifestFile({ ...shared, genre, entries, revisions, sources });
  });
  if (latest === undefined) return { manifests, bundles: [], public: [] };
  const lastAvailable = lastAvailableOf(state.entries.meta);
  return {
    manifests,
    bundles: GENRES.filter((genre) => isInForce(state.entries[genre])).flatMap((genre) =>
      bundleFiles({ ...shared, genre, entries: state.entries[genre], record }),
    ),
    public: [
      state.calendar,
      summaryFile(latest, lastAvailable),
      weeklySummaryFile(chain, { records: state.lastRecords, lastAvailable, template: texts.weeklySummary }),
      chainChartFile(chain, state.lastRecords, texts),
      chainPage(texts.site, chain, { records: state.lastRecords, lastAvailable, sources }),
    ],
  };
}

/** The paths of the files that a chain does not have in a state: those that need dates in force where none is. */
export function absentPaths({ chain, entries }: Pick<ChainState, 'chain' | 'entries'>): string[] {
  const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
  const bundles = GENRES.filter((genre) => !isInForce(entries[genre])).flatMap((genre) =>
    windows.map((window) => bundlePath(genre, chain, window)),
  );
  return isInForce(entries.meta) ? bundles : [...bundles, ...publicPathsOf(chain)];
}

function isInForce(entries: readonly ManifestDate[]): boolean {
  return entries.some(({ status }) => status !== 'withdrawn');
}

/** The paths of a chain's public files. */
export function publicPathsOf(chain: Chain): string[] {
  return [
    calendarPath(chain),
    summaryPath(chain),
    weeklySummaryPath(chain),
    chartPath(chain),
    chainPagePath(chain),
  ];
}

/** The list of superseded versions after the one in force was replaced; of a withdrawn date, that it was withdrawn. */
export function supersede(before: ManifestDate, reason: string): ManifestDate['superseded'] {
  const { revision, in_force_from, sha256, bytes, status } = before;
  const old = { revision, in_force_from, sha256, bytes, reason };
  return [...before.superseded, status === 'withdrawn' ? { ...old, status } : old];
}
