import { dayPath } from '../../../schemas/paths.js';
import type {
  Genre,
  ManifestDate,
  ManifestRevisions,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { SchemaName } from '../../../schemas/validate.js';
import {
  JSON_TYPE,
  jsonContent,
  toArtifact,
  type Artifact,
  type Content,
  type RenderedFile,
  type ReleaseStamp,
} from '../artifacts/artifact.js';
import { toChartPoint, type ChartPoint } from '../artifacts/chart-data.js';
import { toCalendarRow } from '../artifacts/regime-calendar.js';
import { createTextKeeper, keepNothing } from '../artifacts/text-keeper.js';
import type { InputSeries } from '../input/input-series.js';
import { DAY_SCHEMAS, type DayRecord, type DayWriters } from '../records/day-writers.js';
import { supersede } from './chain-state.js';

/** Options for `createEntryWriter`. */
export type EntryOptions = {
  readonly series: InputSeries;
  readonly writers: DayWriters;
  /** Set when the published dates are known to be unchanged, so that they need not be rebuilt. */
  readonly trusted: boolean;
  readonly stamp: ReleaseStamp;
  readonly reason: string;
  /** Set to leave withdrawn dates withdrawn. */
  readonly keepWithdrawn?: boolean | undefined;
  /** Receives each new file at once. Its text is then not cached, because the receiver writes it. */
  readonly handOver?: (file: RenderedFile) => void;
};

/** Decides about a day of a genre, given its published entry. */
export type EntryWriter = (genre: Genre, t: number, before: ManifestDate | undefined) => DayResult;

/** What the calendar and the chart show of a meta record; nothing for other genres. */
type MetaParts = { readonly row?: RegimeCalendarRow; readonly point?: ChartPoint };

/** The decision about a day: keep what is published, or publish a new file. */
export type DayResult = MetaParts &
  (
    | { readonly fate: 'unchanged'; readonly entry: ManifestDate }
    | { readonly fate: 'new' | 'restated'; readonly entry: ManifestDate; readonly artifact: Artifact }
  );

/** Creates a writer that rebuilds a day as it was published, or writes it under this release's revision. */
export function createEntryWriter(options: EntryOptions, revisions: ManifestRevisions): EntryWriter {
  const { series, writers, trusted, stamp, reason, handOver } = options;
  const keep = handOver === undefined ? createTextKeeper() : keepNothing;

  function make(genre: Genre, schema: string, t: number, revision: string): RenderedDay {
    const provenance = { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
    const path = dayPath(genre, series.chain, series.dates[t] ?? '');
    const content = (): Content => jsonContent(schemaNameOf(schema), writers.write(schema, t, provenance));
    const rendered = content();
    const record = rendered.value as DayRecord; // day writers return only day records
    const parts =
      record.schema === 'meta-day/1' ? { row: toCalendarRow(record), point: toChartPoint(record) } : {};
    return {
      artifact: toArtifact(path, JSON_TYPE, keep(rendered, content), rendered),
      content: rendered,
      ...parts,
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
    const isKept = before.status === 'withdrawn' ? (options.keepWithdrawn ?? false) : trusted;
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

type RenderedDay = RenderedFile & MetaParts;

function schemaNameOf(schema: string): SchemaName {
  return schema.split('/')[0] as SchemaName; // a schema id is `<name>/<version>`
}
