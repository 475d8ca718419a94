import type { DateSpan } from '../../../schemas/types.generated.js';

/** Returns the number of `dates`, which ascend, and the first and last of them; `null` if there are none. */
export function toDateSpan(dates: readonly string[]): DateSpan | null {
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return null;
  return { days: dates.length, first_date: first, last_date: last };
}
