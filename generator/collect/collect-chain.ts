import { canonicalJson } from '../../schemas/canonical-json.js';
import { addDays, toDate, toInstant } from '../../schemas/dates.js';
import { compareSeries, shiftWords } from '../core/collection/compare-series.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { AwaitedDate, ChainState, LedgerLine, MetricName } from '../../schemas/types.generated.js';
import { type CollectedDay, type DayValues, metricsIn } from '../core/collection/day-values.js';
import { deadlineMs, decideDay, settledMs } from '../core/collection/judge-day.js';
import { datesOf, type LedgerDate } from '../core/collection/ledger.js';
import { type Acceptances, type ChainPlan, NOTHING_ACCEPTED, type Part } from './policy.js';
import {
  acceptableOf,
  awaitedOf,
  type ChainRun,
  type DayStep,
  mayDiffer,
  mergeParts,
  saidOf,
  withMarks,
} from './chain-run.js';
import {
  pruneState,
  withAwaited,
  withoutDeparted,
  withoutLaterMarks,
  withoutMark,
} from './collection-store.js';
import { judgeDate, type JudgedPart, noteDecisions, openDays, readChecks, withheldOf } from './day-judge.js';
import { reviseKnown, toDayLines } from './revise-known.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Options for `collectChain`. */
export type CollectChainOptions = {
  readonly plan: ChainPlan;
  readonly lines: readonly LedgerLine[];
  readonly state: ChainState;
  readonly nowMs: number;
  readonly accepted?: Acceptances;
  /** Returns the counts of a date that an earlier collection kept for a source, if it did. */
  readonly countsOf: (source: string, date: string) => Promise<CollectedDay['counts'] | undefined>;
  readonly signal: AbortSignal;
};

/** The end of a collection: the state, and the failures of sources that a chain can do without, as sentences. */
type ChainEnd = {
  readonly state: ChainState;
  readonly failures: readonly string[];
  /** What is odd about accepted values and those of other sources, as sentences. */
  readonly notes: readonly string[];
};

/**
 * Collects the dates of a chain that are new or may still change: judges each new date, and compares what the sources give
 * now for accepted dates with their values. Writes nothing: a caller may commit after each step, and continue later from
 * there.
 * @throws SourceError if the main source does not answer as expected; after the other dates, if only some of its dates fail.
 */
export async function* collectChain(options: CollectChainOptions): AsyncGenerator<DayStep, ChainEnd> {
  const { plan, lines, nowMs, signal } = options;
  const { decisions } = options.state;
  const accepted = withKeptDecisions(options.accepted ?? NOTHING_ACCEPTED, decisions);
  const { rules, chain, parts, checks } = plan;
  const known = datesOf(lines);
  const oldest = toDate(Math.floor(nowMs / DAY_MS) - rules.fillInDays);
  const due = toDate(Math.floor((nowMs - rules.firstTryHours * HOUR_MS) / DAY_MS) - 1);
  const last = plan.until !== undefined && plan.until < due ? plan.until : due;
  const first = firstOf(known, oldest) ?? plan.since;
  if (first > last) return { state: options.state, failures: [], notes: [] };
  const [{ source: main }, ...others] = parts;
  const reader = await openDays({
    chain,
    signal,
    oldest,
    span: { first, last },
    sources: [main, ...others.map(({ source }) => source), ...checks.map(({ source }) => source)],
  });
  const basis = basisOf(plan);
  const run: ChainRun = {
    plan,
    reader,
    first,
    last,
    oldest,
    nowMs,
    signal,
    accepted,
    countsOf: options.countsOf,
    isNewBasis: options.state.basis !== basis,
    accepts: accepted.accepts,
    now: toInstant(nowMs),
    values: new Map(known.map((each) => [each.date, each.values])),
    byPerson: new Map(),
    decided: new Set(),
    firstValues: firstValuesOf(lines),
  };
  noteDecisions(run.byPerson, lines);
  let state: ChainState = { ...withoutDeparted(options.state, parts), schedule: scheduleOf(plan) };
  state = withTakenMetrics(state, parts, known);
  for await (const step of collectDates(run, known, state)) {
    ({ state } = step);
    noteDecisions(run.byPerson, step.lines);
    for (const { date, rule } of step.lines) if (rule === 'person') run.decided.add(date);
    yield { ...step, state: pruneState(withoutLaterMarks(state, run.decided), oldest) };
  }
  const [failure] = reader.mainFailures;
  if (failure !== undefined) throw failure; // only now, so that a damaged date blocks no other
  const notes = describeShifts(run, state);
  state = { ...withoutLaterMarks(state, run.decided), basis }; // only now, when all dates were judged by it
  return { state: pruneState(state, oldest), failures: reader.failures, notes };
}

/** Says which metrics another source has on the neighbouring dates: one of the two names the days wrongly. */
function describeShifts({ plan, values }: ChainRun, { checks }: ChainState): string[] {
  const giverOf = (metric: MetricName): string =>
    (plan.parts.find(({ metrics }) => metrics.includes(metric)) ?? plan.parts[0]).source.facts.id;
  return plan.checks.flatMap(({ source: { facts } }) => {
    const others = new Map(Object.entries(checks[facts.id] ?? {}));
    return compareSeries(values, others).flatMap(({ metric, shift }) =>
      shift === undefined ? [] : [shiftWords(metric, shift, { a: giverOf(metric), b: facts.id })],
    );
  });
}

/** Returns the digest of everything in a plan that dates are judged by. */
function basisOf({ parts, checks, rules }: ChainPlan): string {
  const used = {
    parts: parts.map(({ source, metrics }) => [source.facts.id, metrics]),
    checks: checks.map(({ source, same }) => [source.facts.id, same]),
    rules,
  };
  return sha256Hex(canonicalJson(used));
}

function scheduleOf({ parts: [main], rules }: ChainPlan): ChainState['schedule'] & object {
  return {
    source: main.source.facts.id,
    first_try_hours: rules.firstTryHours,
    deadline_hours: rules.deadlineHours,
    settling_days: rules.settlingDays,
  };
}

/** Returns the first date to look at: one that may still be filled in, or the one after the newest. */
function firstOf(known: readonly LedgerDate[], oldest: string): string | undefined {
  const [first, newest] = [known[0]?.date, known.at(-1)?.date];
  if (first === undefined || newest === undefined) return undefined;
  const next = addDays(newest, 1);
  return oldest < first ? first : oldest < next ? oldest : next;
}

async function* collectDates(
  run: ChainRun,
  known: readonly LedgerDate[],
  before: ChainState,
): AsyncGenerator<DayStep> {
  let state = before;
  for await (const step of reviseKnown(run, known, state)) {
    ({ state } = step);
    yield step;
  }
  for (let date = run.first; date <= run.last; date = addDays(date, 1)) {
    if (run.values.has(date)) continue;
    run.signal.throwIfAborted();
    const step = await acceptDate(run, date, state);
    run.reader.forgetBefore(date);
    if (step === undefined) continue;
    ({ state } = step);
    yield step;
  }
}

/**
 * Decides about a date without accepted values. Resolves to `undefined` if it could not be read, and was not awaited before:
 * the next collection judges it as if this one had not been.
 */
async function acceptDate(run: ChainRun, date: string, before: ChainState): Promise<DayStep | undefined> {
  const { plan, nowMs, now } = run;
  const awaited = before.awaited.find((each) => each.date === date);
  const isNewLevel = [...run.decided].some((decided) => decided < date);
  if (awaited !== undefined && !isNewLevel && !mayDiffer(run, date, before) && !isDue(awaited, nowMs)) {
    const outcome = awaited.overdue ? 'missed' : 'waiting';
    const report = { date, outcome, isNewlyOverdue: false, missing: awaited.missing } as const;
    return { lines: [], lineages: [], state: before, report: { ...report, findings: [], revisions: [] } };
  }
  const checked = await readChecks(run, date, before);
  const parts = await judgeDate(run, date, { checks: checked.checks, isAwaited: awaited !== undefined });
  const findings = parts.flatMap((each) => each.findings);
  const merged = mergeParts(parts);
  const { outcome, values, missing } = decideDay(date, { values: merged }, plan.rules, nowMs);
  const taken =
    metricsIn(values).length === 0 ? [] : parts.filter((each) => metricsIn(each.values).length > 0);
  if (isUnread(run, date, { awaited, parts, taken })) return undefined;
  if (taken.length > 0) run.values.set(date, values);
  const rule = outcome === 'accepted' ? ('day' as const) : ('deadline' as const);
  const reason = reasonOn(date, run.accepted, before.decisions);
  const added = taken.map((part) => toDayLines(run, date, part, { rule, reason }));
  const entry = awaitedOf(run, date, { missing, findings, acceptable: acceptableOf(parts) });
  const isNewlyOverdue = entry?.overdue === true && awaited?.overdue !== true;
  return {
    lines: added.flatMap(({ lines }) => lines),
    lineages: added.map(({ lineage }) => lineage),
    state: withAwaited(
      keepDecisions(withMarks(run, date, checked.state, parts), date, taken.length > 0 ? {} : merged, {
        ...run.accepted,
        reason,
      }),
      date,
      entry,
      now,
    ),
    report: {
      date,
      outcome,
      isNewlyOverdue,
      missing,
      findings,
      revisions: [],
      said: saidOf(parts),
      withheld: withheldOf(date, parts, values, plan.rules, run.values.get(addDays(date, -1))),
    },
  };
}

/**
 * Returns whether a date stays open because the main source could not be read, or another one without which nothing is taken.
 * Its deadline counts, as for a date that is awaited, until it is settled: a date of a backfill is only tried again, and later
 * judged as if it had been read at once.
 * @throws SourceError if no date before it has values, because the next collection would begin after it.
 */
function isUnread(
  { plan, reader, values, nowMs }: ChainRun,
  date: string,
  {
    awaited,
    parts,
    taken,
  }: {
    readonly awaited: AwaitedDate | undefined;
    readonly parts: readonly JudgedPart[];
    readonly taken: readonly JudgedPart[];
  },
): boolean {
  if (awaited !== undefined) return false; // its deadline counts
  const [main] = plan.parts;
  const { deadlineHours, settlingDays } = plan.rules;
  const isOverdue = nowMs >= deadlineMs(date, deadlineHours) && nowMs <= settledMs(date, settlingDays);
  const unread = plan.parts.filter(
    (part) => reader.hasFailed(part.source, date) && !parts.some((each) => each.part === part),
  );
  const failure = unread.includes(main) ? reader.mainFailures.at(-1) : undefined;
  if (failure !== undefined && values.size === 0) throw failure;
  if (isOverdue) return false;
  return failure !== undefined || (unread.length > 0 && taken.length === 0);
}

/** Returns whether the deadline of an awaited date has passed since the last collection. */
function isDue({ until, overdue }: AwaitedDate, nowMs: number): boolean {
  return !overdue && nowMs >= Date.parse(until);
}

/**
 * Returns the state with the metrics that a chain takes from each source. Dates without a metric that it did not take from
 * the source before lose their marks of that source, so that they are read again.
 */
function withTakenMetrics(
  before: ChainState,
  parts: readonly Part[],
  known: readonly LedgerDate[],
): ChainState {
  const { metrics: taken } = before; // absent in the states of older versions
  let state = before;
  for (const { source, metrics } of parts) {
    const { id } = source.facts;
    const added = taken === undefined ? [] : metrics.filter((metric) => taken[id]?.includes(metric) !== true);
    for (const { date, values } of known) {
      if (added.some((metric) => values[metric] === undefined)) state = withoutMark(state, id, date);
    }
  }
  const now = parts.map(({ source, metrics }): [string, MetricName[]] => [source.facts.id, [...metrics]]);
  return { ...state, metrics: Object.fromEntries(now) };
}

type Kept = NonNullable<ChainState['decisions']>;

/** Returns what a person accepts: in this run, or earlier for a date that still waits for other metrics. */
function withKeptDecisions(accepted: Acceptances, kept: Kept = []): Acceptances {
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
function reasonOn(date: string, { reason }: Acceptances, kept: Kept = []): string {
  return reason === '' ? (kept.find((each) => each.date === date)?.reason ?? '') : reason;
}

/** Returns the state that keeps the decisions about the values of a date that waits, and none of one that was taken. */
function keepDecisions(
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

/**
 * Returns, by date, the values with which revisions are compared: of each metric the one that was accepted first, or that a
 * person accepted last. Small revisions one after the other so cannot add up to a large one.
 */
export function firstValuesOf(lines: readonly LedgerLine[]): ReadonlyMap<string, DayValues> {
  const first = new Map<string, DayValues>();
  for (const { date, values, rule } of lines) {
    if (rule !== 'revision') first.set(date, { ...first.get(date), ...(values as DayValues) }); // the schema allows only metrics
  }
  return first;
}
