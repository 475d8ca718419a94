import { addDays } from '../../../schemas/dates.js';
import type { ChainState, MetricName } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import { metricsIn, type DayValues, type EarlierDate } from '../../core/collection/values/day-values.js';
import { settledMs } from '../../core/collection/day-decision.js';
import { judgeDay, type JudgeOptions, type Judgement } from '../../core/collection/judge-day.js';
import type { Check } from '../../core/collection/rules/cross.js';
import type { Source } from '../../sources/source.js';
import type { Acceptances, ChainPlan, Part } from '../policy/chain-plan.js';
import type { DayReader } from './day-reader.js';
import type { Decisions } from './decisions.js';
import { usesNextDate } from './neighbour-marks.js';

/** The day of a part, and what is left of its values after the rules. */
export type JudgedPart = Pick<Judgement, 'values' | 'acceptable' | 'findings'> & {
  readonly part: Part;
  readonly day: CollectedDay;
};

/** Options for `judgeDate` that all dates of a run share. */
export type JudgingOptions = {
  readonly plan: ChainPlan;
  readonly reader: DayReader;
  readonly nowMs: number;
  /** Returns the counts of a date that an earlier collection kept for a source, if it did. */
  readonly countsOf: (source: string, date: string) => Promise<CollectedDay['counts'] | undefined>;
  readonly accepts: Acceptances['accepts'];
  /** The accepted values by date. */
  readonly values: ReadonlyMap<string, DayValues>;
  readonly byPerson: Decisions;
};

/** Options for a single date. An awaited date is judged as a new one, however old it is. */
type JudgedBy = { readonly checks: readonly Check[]; readonly isAwaited: boolean };

/** Reads a date from each part that has it, and judges it by the accepted values before it and by other sources. */
export async function judgeDate(
  options: JudgingOptions,
  date: string,
  { checks, isAwaited }: JudgedBy,
): Promise<JudgedPart[]> {
  const { plan, reader, nowMs, accepts, values } = options;
  const { rules } = plan;
  const known = values.get(date);
  const judged: JudgedPart[] = [];
  for (const part of plan.parts) {
    const day = await reader.read(part.source, date, part.metrics);
    if (day === undefined) continue;
    const judge = (neighbours: Neighbours): Judgement =>
      judgeDay(day, {
        ...{ rules, checks, isSettled: nowMs > settledMs(date, rules.settlingDays) && !isAwaited },
        before: datesBefore(options, date),
        open: known === undefined ? [] : part.metrics.filter((metric) => known[metric] === undefined),
        neighbours,
        accepted: part.metrics.filter((metric) => accepts(date, metric, day.values[metric])),
      });
    const found =
      'last_block' in day.counts ? await judgeBetween(options, part.source, date, judge) : judge({});
    judged.push({ ...found, part, day });
  }
  return judged;
}

/** Dates further back than the usual history are given too, for metrics that lack values. */
const HISTORIES = 13;

function datesBefore({ plan, values, byPerson }: JudgingOptions, date: string): EarlierDate[] {
  const before: EarlierDate[] = [];
  for (let i = HISTORIES * plan.rules.historyDates; i > 0; i -= 1) {
    const on = addDays(date, -i);
    const found = values.get(on);
    if (found !== undefined) before.push({ date: on, values: found, byPerson: byPerson.get(on) ?? [] });
  }
  return before;
}

type Neighbours = JudgeOptions['neighbours'] & object;

/** Judges a date by the counts of those around it. If those kept of the date before speak against it, those of now count. */
async function judgeBetween(
  options: JudgingOptions,
  source: Source,
  date: string,
  judge: (neighbours: Neighbours) => Judgement,
): Promise<Judgement> {
  const known = await neighboursOf(options, source, date);
  const judgement = judge(known);
  const { before: _kept, ...others } = known;
  if (isWhole(judgement) || !isWhole(judge(others))) return judgement;
  const now = await options.reader.read(source, addDays(date, -1));
  return now === undefined ? judgement : judge({ ...others, before: now.counts });
}

/** Returns whether the rule `whole` withholds nothing of a day. */
export function isWhole({ findings }: Pick<Judgement, 'findings'>): boolean {
  return !findings.some(({ rule, effect }) => rule === 'whole' && effect === 'withheld');
}

/** Returns the counts of the dates around a date, as far as they are known. */
async function neighboursOf(
  { plan, reader, countsOf }: JudgingOptions,
  source: Source,
  date: string,
): Promise<Neighbours> {
  const { id } = source.facts;
  const earlier = await countsOf(id, addDays(date, -2));
  const before =
    (await countsOf(id, addDays(date, -1))) ?? (await reader.read(source, addDays(date, -1)))?.counts;
  const after = usesNextDate(plan.chain) ? (await reader.read(source, addDays(date, 1)))?.counts : undefined;
  return { ...(earlier && { earlier }), ...(before && { before }), ...(after && { after }) };
}

/** Values of other sources on a date, and the state that keeps them. */
type CheckedDate = { readonly checks: readonly Check[]; readonly state: ChainState };

/** Reads a date from the sources that a chain is compared with. */
export async function readChecks(
  { plan, reader, values }: Pick<JudgingOptions, 'plan' | 'reader' | 'values'>,
  date: string,
  state: ChainState,
): Promise<CheckedDate> {
  const checks: Check[] = [];
  let checked = state.checks;
  for (const { source, same } of plan.checks) {
    const { id } = source.facts;
    const day = await reader.read(source, date);
    if (day === undefined) continue;
    const before = checked[id] ?? {};
    checks.push({ source: id, values: day.values, same, ratios: ratiosBefore(values, before, date) });
    checked = { ...checked, [id]: { ...before, [date]: day.values } };
  }
  return { checks, state: { ...state, checks: checked } };
}

/** Returns, for each metric, the accepted values of the dates before, divided by those of another source. */
function ratiosBefore(
  values: ReadonlyMap<string, DayValues>,
  others: ChainState['checks'][string],
  date: string,
): Check['ratios'] {
  const ratios: { [metric in MetricName]?: number[] } = {};
  for (const [on, other] of Object.entries(others)) {
    const own = values.get(on);
    if (on >= date || own === undefined) continue;
    for (const metric of metricsIn(other)) {
      const ratio = Number(own[metric]) / Number(other[metric]);
      if (Number.isFinite(ratio)) (ratios[metric] ??= []).push(ratio);
    }
  }
  return ratios;
}
