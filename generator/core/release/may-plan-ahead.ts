import type { PlanRequest } from './plan-types.js';

/** Minimum number of dates for which starting threads pays off. */
const MIN_DATES = 1_000;

/** Returns whether a first release is long and cannot be refused, so that it can be written while it is planned. */
export function mayPlanAhead(request: PlanRequest): boolean {
  const withheld = request.inputInvalid === true && request.allOrNothing === true;
  return request.previous === undefined && !withheld && countDates(request) >= MIN_DATES;
}

/** Returns the number of dates of all chains. */
export function countDates({ inputs }: PlanRequest): number {
  return inputs.reduce((sum, { dates }) => sum + dates.length, 0);
}
