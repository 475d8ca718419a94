import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { ManifestDate, ManifestRevisions } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../input/input-series.js';
import type { DayRecord, DayWriters } from '../records/day-writers.js';

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
