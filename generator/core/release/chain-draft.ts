import { GENRES } from '../../../schemas/catalog.js';
import { dayPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  LabelChange,
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
  type FileKind,
  type Stamp,
} from '../artifacts/artifact.js';
import { LANDING_DAYS } from '../artifacts/chain-facts.js';
import { calendarFile, labelsOf, toCalendarRow } from '../artifacts/regime-calendar.js';
import { sourceOn, type InputSeries } from '../input-series.js';
import { DAY_SCHEMAS, type DayRecord, type DayWriters } from '../records/day-writers.js';

/** What a chain has published so far. */
export type PublishedChain = {
  readonly manifests: { readonly [genre in Genre]: Manifest | undefined };
  readonly calendar: string;
};

/** The next state of a chain: its listed dates, and the day files that it needs. */
export type ChainDraft = {
  readonly chain: Chain;
  readonly series: InputSeries;
  readonly updatedThrough: string;
  readonly entries: { readonly [genre in Genre]: readonly ManifestDate[] };
  readonly revisions: ManifestRevisions;
  readonly days: readonly Artifact[];
  readonly calendar: FileKind;
  readonly lastRecords: readonly MetaDay[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
  /** The restated dates whose input changed, not only what is computed from it. */
  readonly restatedInputs: readonly string[];
  readonly labelChanges: readonly LabelChange[];
  /** The record whose bytes an entry names. */
  readonly record: (entry: ManifestDate) => DayRecord;
};

/** How to draft a chain. `trusted`: the published dates are known to be unchanged and are not rebuilt. */
export type DraftTerms = {
  readonly series: InputSeries;
  readonly writers: DayWriters;
  readonly published: PublishedChain | undefined;
  readonly trusted: boolean;
  readonly stamp: Stamp;
  readonly reason: string;
};

/** Drafts the next state of a chain, day by day: each date is new, restated or unchanged. Pure. */
export function draftChain(terms: DraftTerms): ChainDraft {
  const { series, published, stamp } = terms;
  const updatedThrough = series.dates.at(-1) ?? '';
  const revisions = {
    ...published?.manifests.meta?.revisions,
    ...published?.manifests.gold?.revisions,
    ...published?.manifests.derived?.revisions,
    [stamp.revision]: { updated_through: updatedThrough, published_at: stamp.publishedAt },
  };
  const writeDay = createEntryWriter(terms, revisions);
  const days: Artifact[] = [];
  const rows: RegimeCalendarRow[] = [];
  const entries = { meta: [] as ManifestDate[], gold: [] as ManifestDate[], derived: [] as ManifestDate[] };
  const fates = { new: new Set<string>(), restated: new Set<string>(), inputs: new Set<string>() };
  const indexOf = new Map(series.dates.map((date, t) => [date, t]));

  for (const genre of GENRES) {
    const before = new Map(published?.manifests[genre]?.dates.map((entry) => [entry.date, entry]));
    series.dates.forEach((date, t) => {
      const result = writeDay(genre, t, before.get(date));
      entries[genre].push(result.entry);
      if (result.fate !== 'unchanged') {
        days.push(result.artifact);
        fates[result.fate].add(date);
        if (genre === 'gold' && result.fate === 'restated') fates.inputs.add(date);
      }
      if (genre === 'meta' && !(terms.trusted && before.has(date))) {
        rows.push(toCalendarRow(terms.writers.meta(t, provenanceOf(result.entry, revisions))));
      }
    });
    const gone = [...before.values()].filter((entry) => !indexOf.has(entry.date));
    entries[genre].push(...gone);
    entries[genre].sort((a, b) => (a.date < b.date ? -1 : 1));
  }
  const record = (entry: ManifestDate): DayRecord =>
    terms.writers.write(entry.schema, indexOf.get(entry.date) ?? -1, provenanceOf(entry, revisions));
  const restatedDates = [...fates.restated].filter((date) => !fates.new.has(date)).sort();
  return {
    chain: series.chain,
    series,
    updatedThrough,
    entries,
    revisions,
    days,
    calendar: calendarFile(series.chain, rows, terms.trusted ? published?.calendar : undefined),
    lastRecords: series.dates.slice(-LANDING_DAYS).map((date) => {
      const t = indexOf.get(date) ?? -1;
      return terms.writers.meta(
        t,
        provenanceOf(
          entries.meta.find((entry) => entry.date === date),
          revisions,
        ),
      );
    }),
    newDates: [...fates.new].sort(),
    restatedDates,
    restatedInputs: [...fates.inputs].sort(),
    labelChanges: findLabelChanges(rows, restatedDates, published?.calendar),
    record,
  };
}

type DayResult =
  | { readonly fate: 'unchanged'; readonly entry: ManifestDate }
  | { readonly fate: 'new' | 'restated'; readonly entry: ManifestDate; readonly artifact: Artifact };

/** Decides one day of one genre: rebuilt as it was published, or made new under this release's revision. */
function createEntryWriter(
  { series, writers, trusted, stamp, reason }: DraftTerms,
  revisions: ManifestRevisions,
): (genre: Genre, t: number, before: ManifestDate | undefined) => DayResult {
  function make(genre: Genre, schema: string, t: number, revision: string): Artifact {
    const provenance = { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
    const path = dayPath(genre, series.chain, series.dates[t] ?? '');
    return toArtifact(path, JSON_TYPE, () =>
      jsonContent(schemaNameOf(schema), writers.write(schema, t, provenance)),
    );
  }

  function makeNew(genre: Genre, t: number, superseded: ManifestDate['superseded']): DayResult {
    const schema = DAY_SCHEMAS[genre];
    const artifact = make(genre, schema, t, stamp.revision);
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
    return { fate: 'new', entry, artifact };
  }

  return (genre, t, before) => {
    if (before === undefined) return makeNew(genre, t, []);
    if (trusted) return { fate: 'unchanged', entry: before };
    const status = writers.regimes.status[t] ?? 'missing';
    const rebuilt = make(genre, before.schema, t, before.revision);
    if (rebuilt.sha256 === before.sha256 && before.status !== 'withdrawn') {
      return { fate: 'unchanged', entry: before.status === status ? before : { ...before, status } };
    }
    const { revision, in_force_from, sha256, bytes } = before;
    const superseded = [...before.superseded, { revision, in_force_from, sha256, bytes, reason }];
    return { ...makeNew(genre, t, superseded), fate: 'restated' } as DayResult; // a made day with its true fate
  };
}

function schemaNameOf(schema: string): SchemaName {
  return schema.split('/')[0] as SchemaName; // a day schema's id is its name and number
}

function provenanceOf(
  entry: ManifestDate | undefined,
  revisions: ManifestRevisions,
): { revision: string; updatedThrough: string } {
  const revision = entry?.revision ?? '';
  return { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
}

function findLabelChanges(
  rows: readonly RegimeCalendarRow[],
  restated: readonly string[],
  calendar: string | undefined,
): LabelChange[] {
  if (calendar === undefined || restated.length === 0) return [];
  const before = labelsOf(calendar);
  const dates = new Set(restated);
  return rows.flatMap((row) => {
    const from = before.get(row.date) as LabelChange['from'] | undefined; // a calendar holds labels only (schema)
    return from !== undefined && dates.has(row.date) && from !== row.regime
      ? [{ date: row.date, from, to: row.regime }]
      : [];
  });
}

/** The segment of the sources in force on the last date. */
export function latestSource(series: InputSeries): string {
  return sourceOn(series, series.dates.at(-1) ?? '')?.name ?? '';
}
