import { canonicalJson } from '../../../schemas/canonical-json.js';
import type {
  Chart,
  DerivedDay,
  Genre,
  LabelChange,
  Manifest,
  ManifestDate,
  MetaDay,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import { entriesInWindow } from '../artifacts/bundle.js';
import { type ChartPoint, pointsOf, toChartPoint } from '../artifacts/chart-data.js';
import { metricsOfSeries } from '../artifacts/chart-metrics.js';
import { calendarFile, labelsOf, RECENT_DAYS } from '../artifacts/regime-calendar.js';
import { historyOfSeries } from '../artifacts/regimes.js';
import { toWeekDay } from '../artifacts/week.js';
import { type ArchivedWeeks, firstDateOfYear, weekEndOf, weekYearOf } from '../artifacts/weekly-archive.js';
import { type InputSeries, sourceOn } from '../input/input-series.js';
import type { DayRecord } from '../records/day-writers.js';
import type { Steps } from '../steps.js';
import type { ChainState } from './chain-state.js';
import { draftSample } from './sample.js';
import {
  createRebuilder,
  draftGenres,
  type GenreDrafts,
  type GenreOptions,
  knownRevisions,
  recordsFor,
} from './genre-drafts.js';

/** The next state of a chain, computed from its input, with the day files to write. */
export type ChainDraft = ChainState & {
  readonly series: InputSeries;
  readonly days: readonly Artifact[];
  /** The restated dates whose input changed, as opposed to only the results computed from it. */
  readonly restatedInputs: readonly string[];
};

/** Options for `draftSteps`. */
type DraftOptions = GenreOptions & {
  /** Drafts of the genres that are already written, when a first release is written while it is planned. */
  readonly drafted?: GenreDrafts | undefined;
};

/** Drafts the next state of a chain, a few days per step: each date is new, restated or unchanged. */
export function* draftSteps(options: DraftOptions): Steps<ChainDraft> {
  const { series, writers, published, keepsPublishedDays, stamp } = options;
  const revisions = knownRevisions(options);
  const { meta, gold, derived, briefs, volumes } = options.drafted ?? (yield* draftGenres(options));
  const genres = [meta, gold, derived, briefs];
  const newDates = mergeDates(genres.filter(({ isAdded }) => !isAdded).map((genre) => genre.newDates));
  const isNew = new Set(newDates);
  const restatedDates = mergeDates(genres.map((genre) => genre.restatedDates)).filter(
    (date) => !isNew.has(date),
  );

  const rebuild = createRebuilder(series, writers, revisions, stamp.revision);
  const made = genres.flatMap(({ texts }) => [...texts]);
  const { record, text } = rememberDays(rebuild, new Map([...(published?.days ?? []), ...made]));
  const { chain, sources } = series;
  const entries = {
    meta: meta.entries,
    gold: gold.entries,
    derived: derived.entries,
    briefs: briefs.entries,
  };
  return {
    chain,
    series,
    updatedThrough: series.dates.at(-1) ?? '',
    sources,
    entries,
    revisions,
    volumes,
    sample: draftSample({
      ...{ chain, sources, entries, revisions, volumes, text },
      methodology: writers.regimes.methodology,
      record: recordsFor(options, rebuild),
      published: manifestsOfKeptSample(options),
    }),
    days: inOrderOfDates(genres.map((genre) => genre.days)),
    calendar: calendarFile(series.chain, meta.rows, keepsPublishedDays ? published?.calendar : undefined),
    lastRecords: entriesInWindow(meta.entries, RECENT_DAYS).map((entry) => record(entry) as MetaDay), // the meta manifest names only these
    points: allPoints(meta, keepsPublishedDays ? published?.chart : undefined, record),
    metrics: metricsOfSeries(series, datesInForce(gold.entries)),
    history: historyOfSeries(series, writers.regimes, datesInForce(meta.entries)),
    weeks: keepsPublishedDays
      ? newWeeks([...newDates, ...restatedDates], { meta: meta.entries, derived: derived.entries }, record)
      : { days: meta.weekDays, endOf: (date) => derived.weekEnds.find((each) => each.date === date) },
    newDates,
    restatedDates,
    withdrawnDates: [],
    restatedInputs: gold.restatedDates,
    labelChanges: findLabelChanges(meta.rows, restatedDates, published?.calendar ?? ''),
    text,
  };
}

/** Returns the published manifests if the published sample need not be compared: they show whether it stays as it is. */
function manifestsOfKeptSample({
  keepsPublishedDays,
  published,
}: DraftOptions): { readonly [genre in Genre]: Manifest | undefined } | undefined {
  return keepsPublishedDays && published?.hasSample === true ? published.manifests : undefined;
}

function datesInForce(entries: readonly ManifestDate[]): Set<string> {
  return new Set(entries.filter(({ status }) => status !== 'withdrawn').map(({ date }) => date));
}

/** Returns the chart's points of all dates in force: those just made, those of the published chart, or else of the record. */
function allPoints(
  { entries, points }: GenreDrafts['meta'],
  published: Chart | undefined,
  record: (entry: ManifestDate) => DayRecord,
): ChartPoint[] {
  const known = [...(published === undefined ? [] : pointsOf(published)), ...points];
  const byDate = new Map(known.map((point) => [point.date, point]));
  return entries
    .filter(({ status }) => status !== 'withdrawn')
    .map((entry) => byDate.get(entry.date) ?? toChartPoint(record(entry) as MetaDay)); // an entry of the meta manifest
}

/** Returns the weeks of the years in which one of `changed` is in a complete week. Reads no record if none is. */
function newWeeks(
  changed: readonly string[],
  { meta, derived }: { readonly [genre in 'meta' | 'derived']: readonly ManifestDate[] },
  record: (entry: ManifestDate) => DayRecord,
): ArchivedWeeks {
  const last = meta.findLast(({ status }) => status !== 'withdrawn')?.date ?? '';
  const ends = changed.map(weekEndOf).filter((end) => end <= last);
  const years = [...new Set(ends.map(weekYearOf))].sort();
  const from = years[0] === undefined ? undefined : firstDateOfYear(years[0]);
  const days = meta.filter(
    ({ date, status }) => from !== undefined && date >= from && status !== 'withdrawn',
  );
  return {
    days: days.map((entry) => toWeekDay(record(entry) as MetaDay)), // an entry of the meta manifest
    endOf: (date) => {
      const entry = derived.find((each) => each.date === date && each.status !== 'withdrawn');
      return entry === undefined ? undefined : (record(entry) as DerivedDay); // an entry of the derived manifest
    },
    years,
  };
}

type RememberedDays = {
  readonly record: (entry: ManifestDate) => DayRecord;
  readonly text: (entry: ManifestDate) => string;
};

/**
 * Returns two functions: one returns the record that an entry names, the other the text of its file. A text comes from
 * `known`, by digest, or else from the record; a record from the known text, or else from the writers. Each is made once,
 * because bundles overlap.
 */
function rememberDays(
  rebuild: (entry: ManifestDate) => DayRecord | undefined,
  known: ReadonlyMap<string, string>,
): RememberedDays {
  const records = new Map<string, DayRecord>();
  const texts = new Map(known);
  function record(entry: ManifestDate): DayRecord {
    const text = known.get(entry.sha256);
    const found =
      records.get(entry.sha256) ?? (text === undefined ? rebuild(entry) : (JSON.parse(text) as DayRecord)); // its digest says so
    if (found === undefined) throw new Error(`${entry.path}: the series lacks its date`);
    records.set(entry.sha256, found);
    return found;
  }
  function textOf(entry: ManifestDate): string {
    const text = texts.get(entry.sha256) ?? canonicalJson(record(entry));
    texts.set(entry.sha256, text);
    return text;
  }
  return { record, text: textOf };
}

/** Sorts day files by date: a brief written again needs the other records of its date, which are cached. */
function inOrderOfDates(genres: readonly (readonly Artifact[])[]): Artifact[] {
  const dateOf = ({ path }: Artifact): string => path.slice(path.lastIndexOf('/'));
  return genres.flat().sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : 0));
}

function mergeDates(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}

/** Returns the name of the source of the last date. */
export function latestSource(series: InputSeries): string {
  return sourceOn(series, series.dates.at(-1) ?? '')?.name ?? '';
}

/** Returns those of `dates` whose label differs from the published calendar. `calendar` is '' before the first release. */
export function findLabelChanges(
  rows: readonly RegimeCalendarRow[],
  dates: readonly string[],
  calendar: string,
): LabelChange[] {
  if (calendar === '' || dates.length === 0) return [];
  const before = labelsOf(calendar);
  const compared = new Set(dates);
  return rows.flatMap((row) => {
    const from = before.get(row.date) as LabelChange['from'] | undefined; // a calendar holds labels only (schema)
    return from !== undefined && compared.has(row.date) && from !== row.regime
      ? [{ date: row.date, from, to: row.regime }]
      : [];
  });
}
