import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { ManifestDate, ManifestRevisions, MetaDay } from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import { entriesInWindow } from '../artifacts/bundle.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';
import { calendarFile } from '../artifacts/regime-calendar.js';
import { sourceOn, type InputSeries } from '../input-series.js';
import type { DayRecord } from '../records/day-writers.js';
import { runSteps, type Steps } from '../steps.js';
import type { ChainState } from './chain-state.js';
import { draftGenres, knownRevisions, type GenreDrafts, type GenreTerms } from './genre-drafts.js';
import { findLabelChanges } from './label-changes.js';

/** The next state of a chain as its input gives it, with the day files that must be written. */
export type ChainDraft = ChainState & {
  readonly series: InputSeries;
  readonly days: readonly Artifact[];
  /** The restated dates whose input changed, not only what is computed from it. */
  readonly restatedInputs: readonly string[];
};

/** How to draft a chain. */
export type DraftTerms = GenreTerms & {
  /** What was drafted of the genres already, and written. */
  readonly drafted?: GenreDrafts | undefined;
};

/** Drafts the next state of a chain, day by day: each date is new, restated or unchanged. Pure. */
export function draftChain(terms: DraftTerms): ChainDraft {
  return runSteps(draftSteps(terms));
}

/** Drafts as `draftChain` does, some days at a step. */
export function* draftSteps(terms: DraftTerms): Steps<ChainDraft> {
  const { series, writers, published, trusted } = terms;
  const revisions = knownRevisions(terms);
  const { meta, gold, derived, briefs } = terms.drafted ?? (yield* draftGenres(terms));
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
