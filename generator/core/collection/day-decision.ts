import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectionRules } from './collection-rules.js';
import { metricsIn, type DayValues } from './values/day-values.js';
import type { Judgement } from './judge-day.js';

const HOUR_MS = 3_600_000;

/**
 * The decision about a new day: `accepted` with all required metrics; `waiting` until its deadline for those that are missing;
 * `incomplete`, accepted at its deadline with what passed; `missed` if nothing passed by then.
 */
export type DayDecision = {
  readonly outcome: 'accepted' | 'waiting' | 'incomplete' | 'missed';
  readonly values: DayValues;
  /** The required metrics that did not pass. */
  readonly missing: readonly MetricName[];
};

/** Decides about a day that has no accepted value yet. `nowMs`: milliseconds since the epoch. */
export function decideDay(
  date: string,
  { values }: Pick<Judgement, 'values'>,
  { required, deadlineHours }: Pick<CollectionRules, 'required' | 'deadlineHours'>,
  nowMs: number,
): DayDecision {
  const missing = required.filter((metric) => values[metric] === undefined);
  if (missing.length === 0) return { outcome: 'accepted', values, missing };
  if (nowMs < deadlineMs(date, deadlineHours)) return { outcome: 'waiting', values: {}, missing };
  return { outcome: metricsIn(values).length > 0 ? 'incomplete' : 'missed', values, missing };
}

/** Returns the instant, in milliseconds since the epoch, at which a day no longer waits. */
export function deadlineMs(date: string, deadlineHours: number): number {
  return endOfDayMs(toDayNumber(date)) + deadlineHours * HOUR_MS;
}

/** Returns the instant, in milliseconds since the epoch, from which a source no longer revises a day. */
export function settledMs(date: string, settlingDays: number): number {
  return endOfDayMs(toDayNumber(date)) + settlingDays * 24 * HOUR_MS;
}
