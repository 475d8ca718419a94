import type { ChainState } from '../../schemas/types.generated.js';
import { metricsIn, type DayValues } from '../core/collection/values/day-values.js';
import type { Acceptances } from './policy/chain-plan.js';

type Kept = NonNullable<ChainState['decisions']>;

/** Returns what a person accepts: in this run, or earlier for a date that still waits for other metrics. */
export function withKeptDecisions(accepted: Acceptances, kept: Kept = []): Acceptances {
  return {
    ...accepted,
    accepts: (date, metric, value) =>
      accepted.accepts(date, metric, value) ||
      kept.some(
        (each) =>
          each.date === date && each.metric === metric && (value === undefined || each.value === value),
      ),
  };
}

/** Returns the reason of what a person accepts on a date. */
export function reasonOn(date: string, { reason }: Acceptances, kept: Kept = []): string {
  return reason === '' ? (kept.find((each) => each.date === date)?.reason ?? '') : reason;
}

/** Returns the state that keeps the decisions about the values of a date that waits, and none of one that was taken. */
export function keepDecisions(
  state: ChainState,
  date: string,
  waiting: DayValues,
  { accepts, reason }: Acceptances,
): ChainState {
  const { decisions = [], ...rest } = state;
  const decided = metricsIn(waiting).flatMap((metric) => {
    const value = waiting[metric];
    return value !== undefined && accepts(date, metric, value) ? [{ date, metric, value, reason }] : [];
  });
  const kept = [...decisions.filter((each) => each.date !== date), ...decided];
  return kept.length === 0 ? rest : { ...rest, decisions: kept };
}
