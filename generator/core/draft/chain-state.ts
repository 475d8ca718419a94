import { GENRES, WINDOWS } from '../../../schemas/catalog.js';
import { bundlePath, chainEventsPath } from '../../../schemas/paths.js';
import { publicPathsOf } from '../../../schemas/release-paths.js';
import type {
  Chain,
  DerivedDay,
  Genre,
  LabelChange,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  SourceSegment,
  Window,
} from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { bundleFiles } from '../artifacts/bundle.js';
import { lastAvailableOf } from '../artifacts/chain-facts.js';
import { chartDataFile, type ChartPoint } from '../artifacts/chart-data.js';
import { chartMetricsFile, type MetricHistory } from '../artifacts/chart-metrics.js';
import { type HistoryDay, labelStatistics, regimesFile } from '../artifacts/regimes.js';
import { chainChartFile } from '../charts/chart-files.js';
import { manifestFile, revisionsOf } from '../artifacts/manifest.js';
import { chainPage } from '../pages/chain-page.js';
import { metricsPage } from '../pages/metrics-page.js';
import type { ChainVolumes, LackingRecord } from '../volumes/draft-volumes.js';
import type { SampleDraft } from './sample.js';
import type { ReferenceTexts } from './site.js';
import { summaryFile } from '../artifacts/summary.js';
import { type ArchivedWeeks, weeklyArchiveFiles } from '../artifacts/weekly-archive.js';
import { weeklySummaryFile } from '../artifacts/weekly-summary.js';

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
  readonly sample: SampleDraft;
  readonly calendar: FileTemplate;
  /** The meta records of the last `RECENT_DAYS` dates in force, ascending; empty when every date is withdrawn. */
  readonly lastRecords: readonly MetaDay[];
  /** The points of the chart for all dates in force, ascending. */
  readonly points: readonly ChartPoint[];
  /** The metrics of all dates in force. */
  readonly metrics: MetricHistory;
  /** All dates in force, ascending, for the statistics of their labels. */
  readonly history: readonly HistoryDay[];
  /** The weeks of the archive, as far as their files may change. */
  readonly weeks: ArchivedWeeks;
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
  readonly withdrawnDates: readonly string[];
  readonly labelChanges: readonly LabelChange[];
  /** Returns the text of the day file that an entry names. */
  readonly text: (entry: ManifestDate) => string;
};

/** The files of a chain by section of the release. */
type ChainFiles = { readonly [section in Section]: readonly FileTemplate[] } & {
  /** Public files that do not change with every date. */
  readonly archive: readonly FileTemplate[];
};

/**
 * Returns the files of a chain. A chain without dates in force has only manifests. A new kind of file per chain is added here
 * and in `CHAIN_FILES` (`schemas/release-paths.ts`).
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
  if (latest === undefined) return { manifests, bundles: [], public: [], archive: [] };
  const lastAvailable = lastAvailableOf(state.entries.meta);
  const statistics = labelStatistics(chain, state.history, texts.methodology);
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
        derived: derivedOn(latest.date, state),
        address: texts.site.details?.base_url ?? '',
        template: texts.weeklySummary,
      }),
      regimesFile(statistics),
      chartDataFile(chain, state.points, texts.methodology),
      chartMetricsFile(chain, state.metrics),
      chainChartFile(chain, state.points, texts.methodology),
      chainPage(texts.site, chain, { ...shown, points: state.points, statistics }),
      metricsPage(texts.site, chain, { ...shown, points: state.points, metrics: state.metrics }),
    ],
    archive: weeklyArchiveFiles(chain, state.weeks, texts.weeklyArchive),
  };
}

/** Returns the published records that the tables of a chain need and that were not read. */
export function lackingRecords({ volumes, sample }: Pick<ChainState, 'volumes' | 'sample'>): LackingRecord[] {
  const ofVolumes = Object.values(volumes).flatMap(({ lacking }) => lacking);
  return sample === 'kept' ? ofVolumes : [...ofVolumes, ...sample.lacking];
}

/** Returns the derived record in force of a date. */
function derivedOn(date: string, { entries, text }: ChainState): DerivedDay | undefined {
  const entry = entries.derived.findLast((each) => each.date === date && each.status !== 'withdrawn');
  return entry === undefined ? undefined : (JSON.parse(text(entry)) as DerivedDay); // an entry of the derived manifest
}

/** Returns the paths of the files that a chain lacks while all its dates are withdrawn. */
export function absentPaths({ chain, entries }: Pick<ChainState, 'chain' | 'entries'>): string[] {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  const bundles = GENRES.filter((genre) => !hasDatesInForce(entries[genre])).flatMap((genre) =>
    windows.map((window) => bundlePath(genre, chain, window)),
  );
  if (hasDatesInForce(entries.meta)) return bundles;
  const kept = chainEventsPath(chain); // ids that were published once stay what they are
  return [...bundles, ...publicPathsOf(chain).filter((path) => path !== kept)];
}

function hasDatesInForce(entries: readonly ManifestDate[]): boolean {
  return entries.some(({ status }) => status !== 'withdrawn');
}
