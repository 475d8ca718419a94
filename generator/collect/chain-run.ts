import { toInstant } from '../../schemas/dates.js';
import type { AwaitedDate, ChainState, LedgerLine, MetricName } from '../../schemas/types.generated.js';
import { type DayDecision, deadlineMs } from '../core/collection/judge-day.js';
import { metricsIn, pickValues, type DayValues } from '../core/collection/day-values.js';
import type { Finding, Revision } from '../core/collection/collection-rules.js';
import type { Lineage } from '../core/collection/ledger.js';
import type { Acceptances } from './policy.js';
import { withMark, withoutMark } from './collection-store.js';
import {
  hasNewData,
  isWhole,
  type JudgedPart,
  type JudgingOptions,
  markBetween,
  type WithheldValue,
} from './day-judge.js';

/** A date that a collection looked at. */
export type DayReport = {
  readonly date: string;
  readonly outcome: DayDecision['outcome'] | 'revised' | 'unchanged';
  /** True if this collection is the first that found the deadline of the date passed. */
  readonly isNewlyOverdue: boolean;
  /** The required metrics that a new date lacks. */
  readonly missing: readonly MetricName[];
  readonly findings: readonly Finding[];
  /** The changes of accepted values, taken or not. */
  readonly revisions: readonly Revision[];
  /** The values that the sources gave; absent if they were not asked. */
  readonly said?: DayValues;
  /** The values that rules withhold although the date does not wait for them. */
  readonly withheld?: readonly WithheldValue[];
};

/** A step of a collection, which adds a date: lines of the ledger, the lineages that they name, and the state then. */
export type DayStep = {
  readonly lines: readonly LedgerLine[];
  readonly lineages: readonly Lineage[];
  readonly state: ChainState;
  readonly report: DayReport;
};

/** Options of all steps of a run, beside the state. */
export type ChainRun = Omit<JudgingOptions, 'values' | 'byPerson'> & {
  readonly first: string;
  readonly last: string;
  /** The first date that may still be filled in. */
  readonly oldest: string;
  readonly now: string;
  /** True if the sources, metrics or rules of the chain are not those of the collection before. */
  readonly isNewBasis: boolean;
  readonly accepted: Acceptances;
  readonly signal: AbortSignal;
  /** The accepted values by date, with those that this run accepts. */
  readonly values: Map<string, DayValues>;
  /** By date, the metrics whose values a person accepted, in this run or earlier. */
  readonly byPerson: Map<string, readonly MetricName[]>;
  /** The dates of which a person accepts something in this run. */
  readonly decided: Set<string>;
  /** By date, the values of which a revision stays within the tolerance. */
  readonly firstValues: ReadonlyMap<string, DayValues>;
};

/** Returns the values of all parts. */
export function mergeParts(parts: readonly Pick<JudgedPart, 'values'>[]): DayValues {
  return Object.assign({}, ...parts.map(({ values }) => values)) as DayValues; // no metric is in two parts
}

/** Returns the values that the sources of all parts gave. */
export function saidOf(parts: readonly JudgedPart[]): DayValues {
  return mergeParts(parts.map(({ day }) => day));
}

/** Returns the values of all parts that are not accepted for now, but that a person may accept. */
export function acceptableOf(parts: readonly JudgedPart[]): DayValues {
  return mergeParts(parts.map(({ acceptable }) => ({ values: acceptable })));
}

/** Returns whether the data of a date may be new, or a person accepted something of it. */
export function mayDiffer(
  { plan, reader, accepts, isNewBasis }: ChainRun,
  date: string,
  state: ChainState,
): boolean {
  const awaited = state.awaited.find((each) => each.date === date);
  if (awaited !== undefined && isNewBasis) return true;
  const sources = [...plan.parts, ...(awaited ? plan.checks : [])].map(({ source }) => source);
  return (
    sources.some((source) => {
      const { hasLateMarks = false } = source.facts;
      if (reader.markOf(source, date) === undefined) return false;
      const isLate = hasLateMarks && awaited?.overdue === false;
      return isLate || hasNewData(reader, plan.chain, source, date, state);
    }) || plan.parts.some(({ metrics }) => metrics.some((metric) => accepts(date, metric)))
  );
}

/**
 * Returns the state with the marks of the data of a date that were judged, or read for comparison, and without those of data
 * that could not be read.
 */
export function withMarks(
  { plan, reader }: ChainRun,
  date: string,
  state: ChainState,
  judged: readonly JudgedPart[],
): ChainState {
  const checks = plan.checks.map(({ source }) => source);
  return [...plan.parts.map(({ source }) => source), ...checks].reduce((marked, source) => {
    const { id } = source.facts;
    if (reader.hasFailed(source, date)) return withoutMark(marked, id, date);
    const mark = reader.readMarkOf(source, date);
    const found = judged.find((each) => each.part.source === source);
    if (mark === undefined || (found === undefined && !checks.includes(source))) return marked;
    const isBroken = found !== undefined && !isWhole(found);
    const kept = isBroken ? markBetween(reader, plan.chain, source, date) : mark;
    return kept === undefined ? withoutMark(marked, id, date) : withMark(marked, id, date, kept);
  }, state);
}

/** Returns what is awaited of a date; `undefined` if nothing is, or if it is too old to be filled in. */
export function awaitedOf(
  { plan: { rules, parts }, nowMs, oldest }: ChainRun,
  date: string,
  {
    missing,
    findings,
    acceptable,
  }: Pick<DayReport, 'missing' | 'findings'> & { readonly acceptable: DayValues },
): Omit<AwaitedDate, 'date' | 'since'> | undefined {
  if (missing.length === 0 || date < oldest) return undefined;
  const untilMs = deadlineMs(date, rules.deadlineHours);
  const found = findings.filter(
    ({ metrics, effect }) => effect !== 'noted' && metrics.some((each) => missing.includes(each)),
  );
  const absent = missing.filter((metric) => !found.some(({ metrics }) => metrics.includes(metric)));
  const sourcesOf = (wanted: readonly MetricName[]): string[] =>
    parts
      .filter(({ metrics }) => metrics.some((metric) => wanted.includes(metric)))
      .map(({ source }) => source.facts.id);
  const withheld = missing.flatMap((metric) => {
    const rule = found.find(({ metrics }) => metrics.includes(metric))?.rule;
    return rule === undefined ? [] : [[metric, rule] as const];
  });
  const values = pickValues(acceptable, missing);
  const reasons = [
    ...found.map(({ rule, message }) => `${rule}: ${message}`),
    ...absent.map((metric) => `${sourcesOf([metric]).join()} has no ${metric} yet.`),
  ];
  return {
    until: toInstant(untilMs),
    overdue: nowMs >= untilMs,
    missing: [...missing],
    reasons,
    sources: sourcesOf(missing),
    withheld: Object.fromEntries(withheld),
    ...(metricsIn(values).length > 0 && { acceptable: values }),
  };
}
