import { addDays } from '../../schemas/dates.js';
import type { Chain, ChainState, LedgerLine, MetricName } from '../../schemas/types.generated.js';
import {
  type CollectedDay,
  type DayValues,
  type EarlierDate,
  metricsIn,
  pickValues,
} from '../core/collection/day-values.js';
import { judgeDay, type Judgement, type JudgeOptions, settledMs } from '../core/collection/judge-day.js';
import type { Check } from '../core/collection/compared.js';
import { type Source, SourceError } from '../sources/source.js';
import type { Acceptances, ChainPlan, Part } from './policy.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { CollectionRules } from '../core/collection/collection-rules.js';

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
        rules,
        checks,
        isSettled: nowMs > settledMs(date, rules.settlingDays) && !isAwaited,
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

/** Dates that the sources of a chain offer, and their reading. */
type DayReader = {
  /** Returns the mark of a date; `undefined` if the source does not have it. */
  readonly markOf: (source: Source, date: string) => string | undefined;
  /** Returns the mark of a date whose data were all read; `undefined` if they were not. */
  readonly readMarkOf: (source: Source, date: string) => string | undefined;
  /** Returns whether a date could not be read, or not with all of its values. */
  readonly hasFailed: (source: Source, date: string) => boolean;
  /** Reads a date, once. Resolves to `undefined` if the source does not have it after all. @throws SourceError */
  readonly read: (
    source: Source,
    date: string,
    metrics?: readonly MetricName[],
  ) => Promise<CollectedDay | undefined>;
  /** Forgets the days before a date. */
  readonly forgetBefore: (date: string) => void;
  /** The failures of sources, or parts of them, that a chain can do without, as sentences. */
  readonly failures: readonly string[];
  /** Why the main source did not give dates that it offers. They are read again by the next collection. */
  readonly mainFailures: readonly SourceError[];
};

/** Number of dates that the main source may fail to give before the others are not tried. */
const MOST_FAILURES = 3;

/** Options for `openDays`. */
type OpenDaysOptions = {
  /** First date that a later collection reads again. Before it, every failure of a source ends the collection. */
  readonly oldest: string;
  readonly chain: Chain;
  /** The first is the main source; of the others, a failure is only noted. */
  readonly sources: readonly [Source, ...Source[]];
  readonly span: { readonly first: string; readonly last: string };
  readonly signal: AbortSignal;
};

/** Asks sources for the dates that they have. @throws SourceError if the first one does not answer as expected */
export async function openDays(options: OpenDaysOptions): Promise<DayReader> {
  const { chain, sources, span, oldest, signal } = options;
  const [main] = sources;
  const failures: string[] = [];
  const mainFailures: SourceError[] = [];
  const offers = new Map<string, ReadonlyMap<string, string>>();
  for (const source of sources) {
    const offered = source.days(chain, span, signal);
    const mustAnswer = source === main || span.first < oldest;
    offers.set(source.facts.id, mustAnswer ? await offered : await offered.catch(note));
  }
  const days = new Map<string, Promise<CollectedDay | undefined>>();
  const wasRead = new Set<string>();
  const failed = new Set<string>();
  const nameOf = (source: Source, date: string): string => `${date} ${source.facts.id}`;

  function note(error: unknown): ReadonlyMap<string, string> {
    if (!(error instanceof SourceError)) throw error;
    addOnce(failures, error.message);
    return new Map();
  }

  async function readDay(source: Source, date: string): Promise<CollectedDay | undefined> {
    if (offers.get(source.facts.id)?.has(date) !== true) return undefined;
    try {
      const day = await source.day(chain, date, signal);
      const { failures: missed = [], notes = [], unreadable = [] } = day;
      if (date < oldest) assertWhole(date, missed, unreadable);
      [...notes, ...unreadable, ...missed].forEach((each) => addOnce(failures, each));
      (missed.length === 0 ? wasRead : failed).add(nameOf(source, date));
      return day;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.code === 'not-yet') return undefined;
      failed.add(nameOf(source, date));
      if (date < oldest) throw error; // the date would stay without its values for ever
      if (source !== main) note(error);
      else if (mainFailures.push(error) > MOST_FAILURES) throw error;
      return undefined;
    }
  }

  return {
    failures,
    mainFailures,
    hasFailed: (source, date) => failed.has(nameOf(source, date)),
    markOf: (source, date) => offers.get(source.facts.id)?.get(date),
    readMarkOf: (source, date) =>
      wasRead.has(nameOf(source, date)) ? offers.get(source.facts.id)?.get(date) : undefined,
    async read(source, date, metrics) {
      const name = nameOf(source, date);
      const reading = days.get(name) ?? readDay(source, date);
      days.set(name, reading);
      const day = await reading;
      if (day === undefined || metrics === undefined) return day;
      const taken = metricsIn(day.values).filter((metric) => metrics.includes(metric));
      return { ...day, values: pickValues(day.values, taken) };
    },
    forgetBefore(date) {
      for (const name of days.keys()) if (name < date) days.delete(name); // names begin with their date
    },
  };
}

/** Passes a date that no later collection reads again if nothing is missing that one may read. @throws SourceError */
function assertWhole(date: string, missed: readonly string[], unreadable: readonly string[]): void {
  if (missed.length > 0) throw new SourceError('unavailable', missed.join(' '));
  if (unreadable.length === 0) return;
  throw new SourceError(
    'shape',
    `${unreadable.join(' ')} ${date} would stay without it, so it is not collected.`,
  );
}

function addOnce(texts: string[], text: string): void {
  if (!texts.includes(text)) texts.push(text);
}

/** Returns whether the blocks of a date depend on those of the next one. On most chains a day begins where the last one ended. */
function usesNextDate(chain: Chain): boolean {
  return chain === 'bitcoin';
}

type Marks = Pick<DayReader, 'markOf' | 'hasFailed'>;

/**
 * Returns the mark of a date that is not whole. It changes with the data of the dates around it too, because those may be
 * what is broken; `undefined` if one of them could not be read.
 */
export function markBetween(
  { markOf, hasFailed }: Marks,
  chain: Chain,
  source: Source,
  date: string,
): string | undefined {
  const dates = [date, addDays(date, -1), ...(usesNextDate(chain) ? [addDays(date, 1)] : [])];
  if (dates.some((each) => hasFailed(source, each))) return undefined;
  return sha256Hex(JSON.stringify(dates.map((each) => markOf(source, each) ?? null)));
}

/** Returns whether a source has other data of a date than those that were read. */
export function hasNewData(
  reader: Marks,
  chain: Chain,
  source: Source,
  date: string,
  { marks }: Pick<ChainState, 'marks'>,
): boolean {
  const mark = reader.markOf(source, date);
  const kept = marks[source.facts.id]?.[date];
  if (mark === undefined || mark === kept) return false;
  return kept === undefined || markBetween(reader, chain, source, date) !== kept;
}

/** A value that a rule withholds, of a metric without which a date is accepted. */
export type WithheldValue = {
  readonly date: string;
  readonly metric: MetricName;
  /** The rule, and what it found. */
  readonly reason: string;
  /** The value, if a person may accept it. */
  readonly value?: string;
};

/**
 * Returns the values of a date that rules keep back although the date does not wait for them, each metric once. A zero or a
 * repeated value that counts as missing is named only on the first such date: some sources never have another one.
 */
export function withheldOf(
  date: string,
  parts: readonly JudgedPart[],
  accepted: DayValues,
  { required }: Pick<CollectionRules, 'required'>,
  previous: DayValues = {},
): WithheldValue[] {
  const withheld = new Map<MetricName, WithheldValue>();
  for (const { findings, acceptable } of parts) {
    for (const { rule, metrics, effect, message } of findings) {
      if (effect === 'noted' || metrics.some((metric) => required.includes(metric))) continue; // a reason of an awaited date
      for (const metric of metrics) {
        const value = acceptable[metric];
        if (accepted[metric] !== undefined || withheld.has(metric)) continue;
        if (effect === 'omitted' && rule !== 'relation' && previous[metric] === undefined) continue;
        withheld.set(metric, {
          date,
          metric,
          reason: `${rule}: ${message}`,
          ...(value !== undefined && { value }),
        });
      }
    }
  }
  return [...withheld.values()];
}

/** By date, the metrics whose values a person accepted. */
type Decisions = ReadonlyMap<string, readonly MetricName[]>;

/** Adds what lines of a ledger say that a person accepted. */
export function noteDecisions(
  decisions: Map<string, readonly MetricName[]>,
  lines: readonly LedgerLine[],
): void {
  for (const { date, values, rule } of lines)
    if (rule === 'person') decisions.set(date, [...(decisions.get(date) ?? []), ...metricsIn(values)]);
}
