import { GENRES, WINDOWS } from '../../../schemas/catalog.js';
import type {
  Chart,
  DerivedDay,
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import {
  type Artifact,
  type Content,
  JSON_TYPE,
  jsonContent,
  type ReleaseStamp,
  type RenderedFile,
  toArtifact,
} from '../artifacts/artifact.js';
import { LONGEST } from '../artifacts/bundle.js';
import { type ChartPoint, toChartPoint } from '../artifacts/chart-data.js';
import type { Steps } from '../steps.js';
import { DAY_SCHEMAS, type DayRecord, type DayWriters } from '../records/day-writers.js';
import { type ChainVolumes, draftChainVolumes } from '../volumes/draft-volumes.js';
import { dayPath } from '../../../schemas/paths.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { toCalendarRow } from '../artifacts/regime-calendar.js';
import { toWeekDay, type WeekDay } from '../artifacts/week.js';
import { isWeekEnd } from '../artifacts/weekly-archive.js';
import type { InputSeries } from '../input/input-series.js';
import { supersede } from '../artifacts/manifest.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';

const DAYS_A_STEP = 4;

/** The published manifests, calendar and chart of a chain. Releases of older builds have no chart. */
type PublishedChain = {
  /** Texts of published day files by digest, as far as they were read. They need not be made again. */
  readonly days?: ReadonlyMap<string, string> | undefined;
  readonly manifests: { readonly [genre in Genre]: Manifest | undefined };
  /** True if the release has a sample, of whichever chain. */
  readonly hasSample?: boolean;
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

/** The next state of a genre of a chain. */
export type GenreDraft = {
  /** True when the chain was published before without this genre. Its dates are then not counted as new. */
  readonly isAdded: boolean;
  readonly entries: readonly ManifestDate[];
  readonly days: readonly Artifact[];
  /** Texts by digest of the newest of the days that were made: bundles hold them. */
  readonly texts: ReadonlyMap<string, string>;
  /** The calendar rows of the days that were written or rebuilt, for genre meta only. */
  readonly rows: readonly RegimeCalendarRow[];
  /** The same days as points of the chart. */
  readonly points: readonly ChartPoint[];
  /** The same days as the archive of weekly summaries shows them. */
  readonly weekDays: readonly WeekDay[];
  /** The records of the last days of weeks among the days that were written or rebuilt, for genre derived only. */
  readonly weekEnds: readonly DerivedDay[];
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
  { series, writers, published, stamp, superseded, handOver, repack, recomputes }: GenreOptions,
  revisions: ManifestRevisions,
): Steps<ChainVolumes> {
  const rebuild = createRebuilder(series, writers, revisions, stamp.revision);
  return draftChainVolumes({
    chain: series.chain,
    sources: series.sources,
    methodology: writers.regimes.methodology,
    updatedThrough: series.dates.at(-1) ?? '',
    revision: (recomputes ? published?.manifests.meta?.published_revision : undefined) ?? stamp.revision,
    revisions,
    handOver,
    repack,
    entries: { meta: meta.entries, gold: gold.entries, derived: derived.entries },
    published: published?.manifests,
    record: recordsFor({ superseded }, rebuild),
  });
}

/** Returns a function that returns a version of an entry's date: the newest one from `rebuild`, or one that was read. */
export function recordsFor(
  { superseded }: Pick<GenreOptions, 'superseded'>,
  rebuild: (entry: ManifestDate) => DayRecord | undefined,
): (entry: ManifestDate, sha256: string) => DayRecord | undefined {
  return (entry, sha256) => (sha256 === entry.sha256 ? rebuild(entry) : undefined) ?? superseded?.get(sha256);
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
    texts: new Map(results.flatMap(({ entry, text }) => (text === undefined ? [] : [[entry.sha256, text]]))),
    rows: results.flatMap((result) => result.row ?? []),
    points: results.flatMap((result) => result.point ?? []),
    weekDays: results.flatMap((result) => result.weekDay ?? []),
    weekEnds: results.flatMap((result) => result.weekEnd ?? []),
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

/** Options for `createEntryWriter`. */
type EntryOptions = {
  readonly series: InputSeries;
  readonly writers: DayWriters;
  /** Set when the published dates are known to be unchanged, so that they need not be rebuilt. */
  readonly keepsPublishedDays: boolean;
  readonly stamp: ReleaseStamp;
  readonly reason: string;
  /** Set to compute what is published again: withdrawn dates stay withdrawn, and open periods of then stay open. */
  readonly recomputes?: boolean | undefined;
  /** Receives each new file at once. Only the newest texts are then cached: bundles hold them. */
  readonly handOver?: (file: RenderedFile) => void;
};

/** Decides about a day of a genre, given its published entry. */
type EntryWriter = (genre: Genre, t: number, before: ManifestDate | undefined) => DayResult;

/** What is kept of a day that was made: the text of a new one, and what the files of the chain show of its record. */
type KeptParts = {
  readonly text?: string;
  readonly row?: RegimeCalendarRow;
  readonly point?: ChartPoint;
  readonly weekDay?: WeekDay;
  readonly weekEnd?: DerivedDay;
};

/** The decision about a day: keep what is published, or publish a new file. */
type DayResult = KeptParts &
  (
    | { readonly fate: 'unchanged'; readonly entry: ManifestDate }
    | { readonly fate: 'new' | 'restated'; readonly entry: ManifestDate; readonly artifact: Artifact }
  );

/** Creates a writer that rebuilds a day as it was published, or writes it under this release's revision. */
function createEntryWriter(options: EntryOptions, revisions: ManifestRevisions): EntryWriter {
  const { series, writers, keepsPublishedDays, stamp, reason, handOver } = options;
  const keep = handOver === undefined ? createTextKeeper() : keepNothing;
  const firstBundled = series.dates.length - WINDOWS[LONGEST];

  function make(genre: Genre, schema: string, t: number, revision: string): RenderedDay {
    const provenance = { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
    const path = dayPath(genre, series.chain, series.dates[t] ?? '');
    const content = (): Content => jsonContent(schemaNameOf(schema), writers.write(schema, t, provenance));
    const rendered = content();
    const record = rendered.value as DayRecord; // day writers return only day records
    return {
      artifact: toArtifact(path, JSON_TYPE, keep(rendered, content), rendered),
      content: rendered,
      ...(t < firstBundled ? {} : { text: rendered.text }),
      ...keptPartsOf(record),
    };
  }

  function makeNew(genre: Genre, t: number, superseded: ManifestDate['superseded']): DayResult {
    const schema = DAY_SCHEMAS[genre];
    const { artifact, content, ...parts } = make(genre, schema, t, stamp.revision);
    handOver?.({ artifact, content });
    const entry: ManifestDate = {
      date: series.dates[t] ?? '',
      sha256: artifact.sha256,
      bytes: artifact.bytes,
      schema,
      methodology_version: writers.regimes.methodology.version,
      revision: stamp.revision,
      in_force_from: stamp.revision,
      status: writers.regimes.status[t] ?? 'missing',
      path: artifact.path,
      superseded,
    };
    return { fate: superseded.length === 0 ? 'new' : 'restated', entry, artifact, ...parts };
  }

  return (genre, t, before) => {
    if (before === undefined) return makeNew(genre, t, []);
    const isKept = before.status === 'withdrawn' ? (options.recomputes ?? false) : keepsPublishedDays;
    if (isKept) return { fate: 'unchanged', entry: before };
    const status = writers.regimes.status[t] ?? 'missing';
    const { artifact: rebuilt, content: _content, ...parts } = make(genre, before.schema, t, before.revision);
    if (rebuilt.sha256 === before.sha256 && before.status !== 'withdrawn') {
      // The status can change without the bytes: gold and derived days do not contain it.
      return {
        fate: 'unchanged',
        entry: before.status === status ? before : { ...before, status },
        ...parts,
      };
    }
    return makeNew(genre, t, supersede(before, reason));
  };
}

function keptPartsOf(record: DayRecord): KeptParts {
  if (record.schema === 'meta-day/1')
    return { row: toCalendarRow(record), point: toChartPoint(record), weekDay: toWeekDay(record) };
  return record.schema === 'derived-day/1' && isWeekEnd(record.date) ? { weekEnd: record } : {};
}

type RenderedDay = RenderedFile & KeptParts;

function schemaNameOf(schema: string): SchemaName {
  return schema.split('/')[0] as SchemaName; // a schema id is `<name>/<version>`
}

/** Maximum characters in one cache. Files beyond it are rendered again when they are written. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Creates a bounded cache of rendered texts: a function that takes rendered content and returns a function that returns
 * this content again, from the cached text while there is room, otherwise by rendering it with `make`.
 */
function createTextKeeper(): (rendered: Content, make: () => Content) => () => Content {
  let used = 0;
  return (rendered, make) => {
    used += rendered.text.length;
    return used <= LIMIT ? keepText(rendered) : make;
  };
}

/** A text keeper that caches nothing: its functions render the content again. */
function keepNothing(_rendered: Content, make: () => Content): () => Content {
  return make;
}

/** Returns a function that restores JSON content from its text. */
function keepText({ schema, text }: Content): () => Content {
  return () => ({ schema, text, value: JSON.parse(text) });
}

/**
 * Creates a function that makes the record of an entry again; it returns `undefined` for a date that the series lacks,
 * and throws an Error if the bytes differ from those that the manifest lists. Entries of the revision `drafted` are not
 * compared: the same writers made them in this run.
 */
export function createRebuilder(
  series: InputSeries,
  writers: DayWriters,
  revisions: ManifestRevisions,
  drafted: string,
): (entry: ManifestDate) => DayRecord | undefined {
  const indexOf = new Map(series.dates.map((date, t) => [date, t]));
  return ({ date, path, revision, schema, sha256 }) => {
    const t = indexOf.get(date);
    if (t === undefined) return undefined;
    const updatedThrough = revisions[revision]?.updated_through ?? '';
    const record = writers.write(schema, t, { revision, updatedThrough });
    if (revision === drafted || sha256Hex(canonicalJson(record)) === sha256) return record;
    throw new Error(`${path}: the writers produce other bytes than the manifest lists`);
  };
}
