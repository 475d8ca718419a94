import { GENRES } from '../../../schemas/catalog.js';
import type {
  Chart,
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import type { ChartPoint } from '../artifacts/chart-data.js';
import type { Steps } from '../steps.js';
import type { DayRecord } from '../records/day-writers.js';
import { type ChainVolumes, draftChainVolumes } from '../volumes/draft-volumes.js';
import { createEntryWriter, type DayResult, type EntryOptions } from './entry-writer.js';
import { createRebuilder } from './rebuild-record.js';

const DAYS_A_STEP = 4;

/** The published manifests, calendar and chart of a chain. Releases of older builds have no chart. */
export type PublishedChain = {
  readonly manifests: { readonly [genre in Genre]: Manifest | undefined };
  readonly calendar: string;
  readonly chart?: Chart | undefined;
};

/** Options for `draftGenres`. */
export type GenreOptions = EntryOptions & {
  /** Set to pack volumes whose dates did not change again. */
  readonly repack?: boolean | undefined;
  readonly published: PublishedChain | undefined;
  /** Superseded records by digest, as far as they were read. */
  readonly superseded?: ReadonlyMap<string, DayRecord> | undefined;
};

/** The next state of a genre of a chain. Threads can exchange it without its days, which contain functions. */
export type GenreDraft = {
  /** True when the chain was published before without this genre. Its dates are then not counted as new. */
  readonly isAdded: boolean;
  readonly entries: readonly ManifestDate[];
  readonly days: readonly Artifact[];
  /** The calendar rows of the days that were written or rebuilt, for genre meta only. */
  readonly rows: readonly RegimeCalendarRow[];
  /** The same days as points of the chart. */
  readonly points: readonly ChartPoint[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
};

/** The next state of all genres of a chain, and of its volumes. */
export type GenreDrafts = { readonly [genre in Genre]: GenreDraft } & { readonly volumes: ChainVolumes };

/**
 * Drafts every genre: an entry per date of the series, plus the published dates that the series no longer has. The genres
 * of a date are drafted together, because a brief is derived from the other records of its date.
 */
export function* draftGenres(options: GenreOptions): Steps<GenreDrafts> {
  const { series, published } = options;
  const revisions = knownRevisions(options);
  const writeDay = createEntryWriter(options, revisions);
  const begun = GENRES.map((genre) => ({
    genre,
    before: new Map(published?.manifests[genre]?.dates.map((entry) => [entry.date, entry])),
    results: [] as DayResult[],
  }));
  for (const [t, date] of series.dates.entries()) {
    for (const { genre, before, results } of begun) results.push(writeDay(genre, t, before.get(date)));
    if (t % DAYS_A_STEP === 0) yield;
  }
  const present = new Set(series.dates);
  const drafts = begun.map(({ genre, before, results }) => {
    const removed = [...before.values()].filter((entry) => !present.has(entry.date));
    const isAdded = published?.manifests.meta !== undefined && published.manifests[genre] === undefined;
    return [genre, toGenreDraft(results, removed, isAdded)] as const;
  });
  const genres = Object.fromEntries(drafts) as Omit<GenreDrafts, 'volumes'>; // one of each
  return { ...genres, volumes: yield* draftVolumesOf(genres, options, revisions) };
}

function draftVolumesOf(
  { meta, gold, derived }: Omit<GenreDrafts, 'volumes'>,
  { series, writers, published, stamp, superseded, handOver, repack }: GenreOptions,
  revisions: ManifestRevisions,
): Steps<ChainVolumes> {
  const rebuild = createRebuilder(series, writers, revisions, stamp.revision);
  return draftChainVolumes({
    ...{ chain: series.chain, sources: series.sources, methodology: writers.regimes.methodology },
    ...{ updatedThrough: series.dates.at(-1) ?? '', revisions, handOver, repack },
    entries: { meta: meta.entries, gold: gold.entries, derived: derived.entries },
    published: published?.manifests,
    record: (entry, sha256) =>
      (sha256 === entry.sha256 ? rebuild(entry) : undefined) ?? superseded?.get(sha256),
  });
}

function toGenreDraft(
  results: readonly DayResult[],
  removed: readonly ManifestDate[],
  isAdded: boolean,
): GenreDraft {
  const datesOf = (fate: DayResult['fate']): string[] =>
    results.filter((result) => result.fate === fate).map((result) => result.entry.date);
  return {
    isAdded,
    entries: [...results.map((result) => result.entry), ...removed].sort((a, b) =>
      a.date < b.date ? -1 : 1,
    ),
    days: results.flatMap((result) => (result.fate === 'unchanged' ? [] : [result.artifact])),
    rows: results.flatMap((result) => result.row ?? []),
    points: results.flatMap((result) => result.point ?? []),
    newDates: datesOf('new'),
    restatedDates: datesOf('restated'),
  };
}

/** Returns every revision that the chain's manifests can name, the drafted one included. */
export function knownRevisions({ series, published, stamp }: GenreOptions): ManifestRevisions {
  const updated_through = series.dates.at(-1) ?? '';
  return {
    ...published?.manifests.meta?.revisions,
    ...published?.manifests.gold?.revisions,
    ...published?.manifests.derived?.revisions,
    ...published?.manifests.briefs?.revisions,
    [stamp.revision]: { updated_through, published_at: stamp.publishedAt },
  };
}
