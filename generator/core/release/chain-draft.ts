import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { dayPath } from '../../../schemas/paths.js';
import type {
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { SchemaName } from '../../../schemas/validate.js';
import {
  JSON_TYPE,
  jsonContent,
  toArtifact,
  type Artifact,
  type Content,
  type Stamp,
} from '../artifacts/artifact.js';
import { entriesInWindow } from '../artifacts/bundle.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';
import { calendarFile, toCalendarRow } from '../artifacts/regime-calendar.js';
import { sourceOn, type InputSeries } from '../input-series.js';
import { createTextKeeper } from '../artifacts/text-keeper.js';
import { DAY_SCHEMAS, type DayRecord, type DayWriters } from '../records/day-writers.js';
import { runSteps, type Steps } from '../steps.js';
import { supersede, type ChainState } from './chain-state.js';
import { findLabelChanges } from './label-changes.js';

const DAYS_A_STEP = 16;

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

/** How to draft a chain. `trusted`: the published dates are known to be unchanged and are not rebuilt. */
export type DraftTerms = {
  readonly series: InputSeries;
  readonly writers: DayWriters;
  readonly published: PublishedChain | undefined;
  readonly trusted: boolean;
  readonly stamp: Stamp;
  readonly reason: string;
  /** Leave withdrawn dates as they are. */
  readonly keepWithdrawn?: boolean;
};

/** Drafts the next state of a chain, day by day: each date is new, restated or unchanged. Pure. */
export function draftChain(terms: DraftTerms): ChainDraft {
  return runSteps(draftSteps(terms));
}

/** Drafts as `draftChain` does, some days at a step. */
export function* draftSteps(terms: DraftTerms): Steps<ChainDraft> {
  const { series, writers, published, trusted } = terms;
  const revisions = knownRevisions(terms);
  const writeDay = createEntryWriter(terms, revisions);
  const meta = yield* draftGenre('meta', terms, writeDay);
  const gold = yield* draftGenre('gold', terms, writeDay);
  const derived = yield* draftGenre('derived', terms, writeDay);
  const briefs = yield* draftGenre('briefs', terms, writeDay);
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
    days: genres.flatMap((genre) => genre.days),
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

/** Drafts one genre: an entry per date of the series, and those listed dates that the series no longer has. */
function* draftGenre(
  genre: Genre,
  { series, published }: DraftTerms,
  writeDay: EntryWriter,
): Steps<GenreDraft> {
  const before = new Map(published?.manifests[genre]?.dates.map((entry) => [entry.date, entry]));
  const results: DayResult[] = [];
  for (const [t, date] of series.dates.entries()) {
    results.push(writeDay(genre, t, before.get(date)));
    if (t % DAYS_A_STEP === 0) yield;
  }
  const present = new Set(series.dates);
  const gone = [...before.values()].filter((entry) => !present.has(entry.date));
  const datesOf = (fate: DayResult['fate']): string[] =>
    results.filter((result) => result.fate === fate).map((result) => result.entry.date);
  return {
    isAdded: published?.manifests.meta !== undefined && published.manifests[genre] === undefined,
    entries: [...results.map((result) => result.entry), ...gone].sort((a, b) => (a.date < b.date ? -1 : 1)),
    days: results.flatMap((result) => (result.fate === 'unchanged' ? [] : [result.artifact])),
    rows: results.flatMap((result) => result.row ?? []),
    newDates: datesOf('new'),
    restatedDates: datesOf('restated'),
  };
}

function mergeDates(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}

type EntryWriter = (genre: Genre, t: number, before: ManifestDate | undefined) => DayResult;

type DayResult = { readonly row?: RegimeCalendarRow } & (
  | { readonly fate: 'unchanged'; readonly entry: ManifestDate }
  | { readonly fate: 'new' | 'restated'; readonly entry: ManifestDate; readonly artifact: Artifact }
);

/** Decides one day of one genre: rebuilt as it was published, or made new under this release's revision. */
function createEntryWriter(terms: DraftTerms, revisions: ManifestRevisions): EntryWriter {
  const { series, writers, trusted, stamp, reason } = terms;
  const keep = createTextKeeper();

  function make(genre: Genre, schema: string, t: number, revision: string): MadeDay {
    const provenance = { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
    const path = dayPath(genre, series.chain, series.dates[t] ?? '');
    const content = (): Content => jsonContent(schemaNameOf(schema), writers.write(schema, t, provenance));
    const made = content();
    const record = made.value as DayRecord; // what a day writer makes
    const row = record.schema === 'meta-day/1' ? { row: toCalendarRow(record) } : {};
    return { artifact: toArtifact(path, JSON_TYPE, keep(made, content), made), ...row };
  }

  function makeNew(genre: Genre, t: number, superseded: ManifestDate['superseded']): DayResult {
    const schema = DAY_SCHEMAS[genre];
    const { artifact, ...row } = make(genre, schema, t, stamp.revision);
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
    return { fate: superseded.length === 0 ? 'new' : 'restated', entry, artifact, ...row };
  }

  return (genre, t, before) => {
    if (before === undefined) return makeNew(genre, t, []);
    const isKept = before.status === 'withdrawn' ? (terms.keepWithdrawn ?? false) : trusted;
    if (isKept) return { fate: 'unchanged', entry: before };
    const status = writers.regimes.status[t] ?? 'missing';
    const { artifact: rebuilt, ...row } = make(genre, before.schema, t, before.revision);
    if (rebuilt.sha256 === before.sha256 && before.status !== 'withdrawn') {
      return { fate: 'unchanged', entry: before.status === status ? before : { ...before, status }, ...row };
    }
    return makeNew(genre, t, supersede(before, reason));
  };
}

type MadeDay = { readonly artifact: Artifact; readonly row?: RegimeCalendarRow };

function schemaNameOf(schema: string): SchemaName {
  return schema.split('/')[0] as SchemaName; // a day schema's id is its name and number
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
