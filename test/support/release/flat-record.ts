import type { DayRecord } from '../../../generator/core/records/day-writers.js';
import type { DerivedDay, MetaDay } from '../../../schemas/types.generated.js';

export type Cell = string | number | boolean | null;
/** Values by the name of their column. */
export type Cells = Readonly<Record<string, Cell>>;

/** Names of columns that are not the path of the value in the record. */
const RENAMED: Readonly<Record<string, string>> = {
  regime_label: 'regime',
  regime_run_days: 'run_days',
  regime_previous_label: 'previous_regime',
  regime_determinism_hash: 'determinism_hash',
  confidence_score: 'confidence',
};

/** Members that are not part of the names of columns. */
const GROUPS = new Set(['metrics', 'axes']);

/** Members of a record that a volume leaves out, because they follow from the others or from the manifest. */
const OMITTED = new Set(['schema', 'updated_through', 'methodology']);
const OMITTED_OF_DRIVERS = new Set(['signal', 'dimension', 'direction', 'unit']);

/** Flattens a record like a volume, but from the shape of the record: a value that no column has is found too. */
export function flattenRecord(record: DayRecord): Cells {
  const kept = Object.entries(record).filter(([name]) => !OMITTED.has(name));
  const values =
    record.schema === 'meta-day/1'
      ? reshape(record, kept)
      : {
          ...Object.fromEntries(kept),
          ...('extremes' in record ? { extremes: flattenExtremes(record) } : {}),
        };
  return Object.fromEntries(
    leavesOf(values, []).map(([path, value]) => {
      const name = path.filter((step) => !GROUPS.has(step)).join('_');
      return [RENAMED[name] ?? name, value];
    }),
  );
}

function flattenExtremes({ extremes }: DerivedDay): string | null {
  return (
    extremes.map((each) => `${each.quantity}:${each.kind}:${each.window}:${each.rank}`).join(' ') || null
  );
}

/** Returns the members of a meta record, named so that the path of each value is the name of its column. */
function reshape({ regime, confidence, scorecard, drivers }: MetaDay, kept: [string, unknown][]): object {
  const { axes, ...run } = regime;
  const { score, level, data_quality, missing_signals: missing, ...quality } = confidence;
  const scores = Object.entries(scorecard).map(([dimension, { score: value, ...rest }]): [string, object] => [
    dimension,
    {
      score: value,
      ...Object.fromEntries(Object.entries(rest).map(([name, each]) => [`score_${name}`, each])),
    },
  ]);
  const byDriver = drivers.map(({ signal, ...driver }): [string, object] => [
    signal,
    Object.fromEntries(Object.entries(driver).filter(([name]) => !OMITTED_OF_DRIVERS.has(name))),
  ]);
  return {
    ...Object.fromEntries(kept),
    regime: run,
    axes,
    data_quality,
    ...quality,
    confidence: { score, level },
    missing_signals: missing.join(' ') || null,
    scorecard: undefined,
    drivers: undefined,
    ...Object.fromEntries(scores),
    driver: Object.fromEntries(byDriver),
  };
}

function leavesOf(value: unknown, path: readonly string[]): [readonly string[], Cell][] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [[path, value as Cell]]; // a record is JSON
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]));
}
