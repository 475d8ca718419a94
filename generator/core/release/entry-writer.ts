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
  type MadeFile,
  type Stamp,
} from '../artifacts/artifact.js';
import { toCalendarRow } from '../artifacts/regime-calendar.js';
import { createTextKeeper, keepNothing } from '../artifacts/text-keeper.js';
import type { InputSeries } from '../input-series.js';
import { DAY_SCHEMAS, type DayRecord, type DayWriters } from '../records/day-writers.js';
import { supersede } from './chain-state.js';

/** What days are made of. `trusted`: the published dates are known to be unchanged and are not rebuilt. */
export type EntryTerms = {
  readonly series: InputSeries;
  readonly writers: DayWriters;
  readonly trusted: boolean;
  readonly stamp: Stamp;
  readonly reason: string;
  /** Leave withdrawn dates as they are. */
  readonly keepWithdrawn?: boolean | undefined;
  /** Hears of each new file. Then no text of it is kept, for whoever hears writes it. */
  readonly handOver?: (file: MadeFile) => void;
};

/** Decides a day of a genre, which was published as `before` says. */
export type EntryWriter = (genre: Genre, t: number, before: ManifestDate | undefined) => DayResult;

/** What becomes of a day: as it was published, or made. */
export type DayResult = { readonly row?: RegimeCalendarRow } & (
  | { readonly fate: 'unchanged'; readonly entry: ManifestDate }
  | { readonly fate: 'new' | 'restated'; readonly entry: ManifestDate; readonly artifact: Artifact }
);

/** A writer of entries: a day is rebuilt as it was published, or made new under this release's revision. */
export function createEntryWriter(terms: EntryTerms, revisions: ManifestRevisions): EntryWriter {
  const { series, writers, trusted, stamp, reason, handOver } = terms;
  const keep = handOver === undefined ? createTextKeeper() : keepNothing;

  function make(genre: Genre, schema: string, t: number, revision: string): MadeDay {
    const provenance = { revision, updatedThrough: revisions[revision]?.updated_through ?? '' };
    const path = dayPath(genre, series.chain, series.dates[t] ?? '');
    const content = (): Content => jsonContent(schemaNameOf(schema), writers.write(schema, t, provenance));
    const made = content();
    const record = made.value as DayRecord; // what a day writer makes
    const row = record.schema === 'meta-day/1' ? { row: toCalendarRow(record) } : {};
    return { artifact: toArtifact(path, JSON_TYPE, keep(made, content), made), made, ...row };
  }

  function makeNew(genre: Genre, t: number, superseded: ManifestDate['superseded']): DayResult {
    const schema = DAY_SCHEMAS[genre];
    const { artifact, made, ...row } = make(genre, schema, t, stamp.revision);
    handOver?.({ artifact, content: made });
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
    const { artifact: rebuilt, made: _made, ...row } = make(genre, before.schema, t, before.revision);
    if (rebuilt.sha256 === before.sha256 && before.status !== 'withdrawn') {
      return { fate: 'unchanged', entry: before.status === status ? before : { ...before, status }, ...row };
    }
    return makeNew(genre, t, supersede(before, reason));
  };
}

type MadeDay = {
  readonly artifact: Artifact;
  readonly made: Content;
  readonly row?: RegimeCalendarRow;
};

function schemaNameOf(schema: string): SchemaName {
  return schema.split('/')[0] as SchemaName; // a day schema's id is its name and number
}
