import type { Manifest } from '../../../schemas/types.generated.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { JSON_TYPE, jsonContent, toArtifact, type Artifact } from '../artifacts/artifact.js';
import type { InputSeries } from '../input/input-series.js';
import type { DayWriters } from '../records/day-writers.js';

/**
 * Rebuilds the day files of a manifest that have one of the `wanted` digests, and returns those whose digest matches.
 * Each is written with the provenance of its own revision. A superseded version is rebuilt only if `series` still holds
 * the values it was computed from; otherwise its digest differs and it is omitted.
 */
export function rebuildDays(
  manifest: Manifest,
  series: InputSeries,
  writers: DayWriters,
  wanted: ReadonlySet<string>,
): Artifact[] {
  const indexOf = new Map(series.dates.map((date, t) => [date, t]));
  return manifest.dates.flatMap((entry) => {
    const t = indexOf.get(entry.date);
    if (t === undefined) return [];
    const versions = [entry, ...entry.superseded].filter(({ sha256 }) => wanted.has(sha256));
    return versions.flatMap(({ sha256, revision }) => {
      const provenance = { revision, updatedThrough: manifest.revisions[revision]?.updated_through ?? '' };
      const schema = entry.schema.split('/')[0] as SchemaName; // a schema id is `<name>/<version>`
      const artifact = toArtifact(entry.path, JSON_TYPE, () =>
        jsonContent(schema, writers.write(entry.schema, t, provenance)),
      );
      return artifact.sha256 === sha256 ? [artifact] : [];
    });
  });
}
