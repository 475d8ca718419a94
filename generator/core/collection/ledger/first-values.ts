import type { LedgerLine } from '../../../../schemas/types.generated.js';
import type { DayValues } from '../values/day-values.js';

/**
 * Returns, by date, the values with which revisions are compared: of each metric the one that was accepted first, or that a
 * person accepted last. Small revisions one after the other so cannot add up to a large one.
 */
export function firstValuesOf(lines: readonly LedgerLine[]): ReadonlyMap<string, DayValues> {
  const first = new Map<string, DayValues>();
  for (const { date, values, rule } of lines) {
    if (rule !== 'revision') first.set(date, { ...first.get(date), ...(values as DayValues) }); // the schema allows only metrics
  }
  return first;
}
