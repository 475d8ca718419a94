import { GENRES } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type {
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import { entriesInWindow } from '../artifacts/bundle.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';
import { calendarFile } from '../artifacts/regime-calendar.js';
import { sourceOn, type InputSeries } from '../input-series.js';
import type { DayRecord } from '../records/day-writers.js';
import { runSteps, type Steps } from '../steps.js';
import type { ChainState } from './chain-state.js';
import { createEntryWriter, type DayResult, type EntryTerms, type EntryWriter } from './entry-writer.js';
import { findLabelChanges } from './label-changes.js';

const DAYS_A_STEP = 4;

/** What a chain has published so far. */
export type PublishedChain = {
  readonly manifests: { readonly [genre in Genre]: Manifest | undefined };
  readonly calendar: string;
};

/** The next state of a chain as its input gives it, with the day files that must be written. */
export type ChainDraft = ChainState & {
  readonly series: InputSeries;
  readonly days: readonly Artifact[];
  /** The restated dates whose input changed, not only what is computed from it. */
  readonly restatedInputs: readonly string[];
};

/** How to draft a chain. */
export type DraftTerms = EntryTerms & { readonly published: PublishedChain | undefined };

/** Drafts the next state of a chain, day by day: each date is new, restated or unchanged. Pure. */
export function draftChain(terms: DraftTerms): ChainDraft {
  return runSteps(draftSteps(terms));
}

/** Drafts as `draftChain` does, some days at a step. */
export function* draftSteps(terms: DraftTerms): Steps<ChainDraft> {
  const { series, writers, published, trusted } = terms;
  const revisions = knownRevisions(terms);
  const writeDay = createEntryWriter(terms, revisions);
  const { meta, gold, derived, briefs } = yield* draftGenres(terms, writeDay);
  const genres = [meta, gold, derived, briefs];
  const newDates = mergeDates(genres.filter(({ isAdded }) => !isAdded).map((genre) => genre.newDates));
  const isNew = new Set(newDates);
  const restatedDates = mergeDates(genres.map((genre) => genre.restatedDates)).filter(
    (date) => !isNew.has(date),
  );

  const indexOf = new Map(series.dates.map((date, t) => [date, t]));
  const record = rememberRecords((entry) =>
    writers.write(entry.schema, indexOf.get(entry.date) ?? -1, provenanceOf(entry, revisions)),
  );
  return {
    chain: series.chain,
    series,
    updatedThrough: series.dates.at(-1) ?? '',
    sources: series.sources,
    entries: { meta: meta.entries, gold: gold.entries, derived: derived.entries, briefs: briefs.entries },
    revisions,
    days: inOrderOfDates(genres.map((genre) => genre.days)),
    calendar: calendarFile(series.chain, meta.rows, trusted ? published?.calendar : undefined),
    lastRecords: entriesInWindow(meta.entries, CHART_DAYS).map((entry) => record(entry) as MetaDay), // of the meta manifest
    newDates,
    restatedDates,
    withdrawnDates: [],
    restatedInputs: gold.restatedDates,
    labelChanges: findLabelChanges(meta.rows, restatedDates, published?.calendar ?? ''),
    record,
  };
}

/** Bundles overlap, and are made for their digest and for their bytes: a record of theirs is made once. */
function rememberRecords(make: (entry: ManifestDate) => DayRecord): (entry: ManifestDate) => DayRecord {
  const made = new Map<string, DayRecord>();
  return (entry) => {
    const known = made.get(entry.sha256);
    if (known !== undefined) return known;
    const record = make(entry);
    if (sha256Hex(canonicalJson(record)) !== entry.sha256) {
      throw new Error(`${entry.path}: the writers make other bytes than the manifest lists`);
    }
    made.set(entry.sha256, record);
    return record;
  };
}

/** What each revision that the chain's manifests may name was published with, this one included. */
function knownRevisions({ series, published, stamp }: DraftTerms): ManifestRevisions {
  const updated_through = series.dates.at(-1) ?? '';
  return {
    ...published?.manifests.meta?.revisions,
    ...published?.manifests.gold?.revisions,
    ...published?.manifests.derived?.revisions,
    ...published?.manifests.briefs?.revisions,
    [stamp.revision]: { updated_through, published_at: stamp.publishedAt },
  };
}

type GenreDraft = {
  /** Whether the chain was published before without this genre: then its dates are not new, only told of anew. */
  readonly isAdded: boolean;
  readonly entries: readonly ManifestDate[];
  readonly days: readonly Artifact[];
  /** The calendar rows of the days that were made, when the genre is meta. */
  readonly rows: readonly RegimeCalendarRow[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
};

/**
 * Drafts every genre: an entry per date of the series, and those listed dates that the series no longer has. The genres
 * of a date are drafted one after the other, for a brief rests on the other records of its date.
 */
function* draftGenres(
  { series, published }: DraftTerms,
  writeDay: EntryWriter,
): Steps<{ readonly [genre in Genre]: GenreDraft }> {
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
    const gone = [...before.values()].filter((entry) => !present.has(entry.date));
    const isAdded = published?.manifests.meta !== undefined && published.manifests[genre] === undefined;
    return [genre, toGenreDraft(results, gone, isAdded)] as const;
  });
  return Object.fromEntries(drafts) as { readonly [genre in Genre]: GenreDraft }; // one of each
}

function toGenreDraft(
  results: readonly DayResult[],
  gone: readonly ManifestDate[],
  isAdded: boolean,
): GenreDraft {
  const datesOf = (fate: DayResult['fate']): string[] =>
    results.filter((result) => result.fate === fate).map((result) => result.entry.date);
  return {
    isAdded,
    entries: [...results.map((result) => result.entry), ...gone].sort((a, b) => (a.date < b.date ? -1 : 1)),
    days: results.flatMap((result) => (result.fate === 'unchanged' ? [] : [result.artifact])),
    rows: results.flatMap((result) => result.row ?? []),
    newDates: datesOf('new'),
    restatedDates: datesOf('restated'),
  };
}

/** Day files as they were made: those beyond what is kept are made again, and briefs from the others of their date. */
function inOrderOfDates(genres: readonly (readonly Artifact[])[]): Artifact[] {
  const dateOf = ({ path }: Artifact): string => path.slice(path.lastIndexOf('/'));
  return genres.flat().sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : 0));
}

function mergeDates(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}

function provenanceOf(
  { revision }: ManifestDate,
  revisions: ManifestRevisions,
): { revision: string; updatedThrough: string } {
  return { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
}

/** The segment of the sources in force on the last date. */
export function latestSource(series: InputSeries): string {
  return sourceOn(series, series.dates.at(-1) ?? '')?.name ?? '';
}
