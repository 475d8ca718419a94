import type { LabelChange, RegimeCalendarRow } from '../../../schemas/types.generated.js';
import { labelsOf } from '../artifacts/regime-calendar.js';

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
