import type { PlanRequest } from './plan-types.js';

/** Fewest dates that are worth the start of threads. */
const FEWEST_DATES = 1_000;

/** Whether a plan is long, and nothing can refuse it: there is nothing to restate or drop, and no fault withholds it. */
export function mayPlanAhead(request: PlanRequest): boolean {
  const withheld = request.inputInvalid === true && request.allOrNothing === true;
  return request.previous === undefined && !withheld && countDates(request) >= FEWEST_DATES;
}

/** Number of the dates of all chains. */
export function countDates({ inputs }: PlanRequest): number {
  return inputs.reduce((sum, { dates }) => sum + dates.length, 0);
}
