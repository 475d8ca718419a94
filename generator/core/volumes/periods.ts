import { addDays } from '../../../schemas/dates.js';

/** Days after which a date counts as settled if its source does not say. */
const SETTLING_DAYS = 7;

/** A closed part of a history: a year, or a month of a year that is not closed. Both dates belong to it. */
export type Period = { readonly id: string; readonly first: string; readonly last: string };

/**
 * Returns the closed periods of a history, ascending. A period is closed when its last date is published and has settled.
 * The first one begins with the history.
 */
export function closedPeriods(first: string, through: string, settlingDays = SETTLING_DAYS): Period[] {
  const settled = addDays(through, -settlingDays);
  const periods: Period[] = [];
  for (let start = first; ;) {
    const period = [yearOf(start), monthOf(start)].find(({ last }) => last <= settled);
    if (period === undefined) return periods;
    periods.push({ ...period, first: start });
    start = addDays(period.last, 1);
  }
}

function yearOf(date: string): Period {
  const id = date.slice(0, 4);
  return { id, first: `${id}-01-01`, last: `${id}-12-31` };
}

function monthOf(date: string): Period {
  const id = date.slice(0, 7);
  return { id, first: `${id}-01`, last: addDays(`${addDays(`${id}-28`, 4).slice(0, 7)}-01`, -1) };
}
