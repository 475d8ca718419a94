import { addDays } from '../../../schemas/dates.js';
import type { LabelRun, RegimeLabel } from '../../../schemas/types.generated.js';

/** Number of days in charts and in the runs of the landing snapshot, including the last date. */
export const CHART_DAYS = 730;
/** Number of dates whose records the files of the current state are made from. */
export const RECENT_DAYS = 365;

/** Groups consecutive dates with the same label into runs, ascending. A missing date ends a run. */
export function toLabelRuns(
  days: readonly { readonly date: string; readonly label: RegimeLabel }[],
): LabelRun[] {
  const runs: LabelRun[] = [];
  for (const { date, label } of days) {
    const last = runs.at(-1);
    if (last?.label === label && addDays(last.last, 1) === date) last.last = date;
    else runs.push({ label, first: date, last: date });
  }
  return runs;
}

/** Returns the days to chart: the last `CHART_DAYS` days up to the last date. */
export function inChartWindow<T extends { readonly date: string }>(days: readonly T[]): T[] {
  const last = days.at(-1)?.date;
  return last === undefined ? [] : days.filter(({ date }) => date > addDays(last, -CHART_DAYS));
}
