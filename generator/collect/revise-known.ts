import { addDays } from '../../schemas/dates.js';
import type { ChainState, Drift, LedgerLine, MetricName } from '../../schemas/types.generated.js';
import { type DayValues, metricsIn, pickValues } from '../core/collection/day-values.js';
import { type LedgerDate, type Lineage, toLineage } from '../core/collection/ledger.js';
import { type Finding, findRevisions, type Revision } from '../core/collection/collection-rules.js';
import { settledMs } from '../core/collection/judge-day.js';
import { compareSources } from '../core/collection/compared.js';
import { SourceError } from '../sources/source.js';
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
import { withAwaited, withDrifts } from './collection-store.js';
import { judgeDate, type JudgedPart, readChecks, withheldOf } from './day-judge.js';
import type { Acceptances, ChainPlan } from './policy.js';

/**
 * Compares what the sources give now for accepted dates with their values. Settled dates are decided one by one, so that an
 * interrupted run continues after them. The others are decided together: whether a small change of theirs is taken depends
 * on the number of dates that differ.
 */
export async function* reviseKnown(
  run: ChainRun,
  known: readonly LedgerDate[],
  before: ChainState,
): AsyncGenerator<DayStep> {
  let state = before;
  const fresh = new Map<string, readonly JudgedPart[]>();
  try {
    for (const { date, values: accepted, sources } of known) {
      if (date < run.first || date > run.last) continue;
      if (!mayDiffer(run, date, state)) {
        const late = await compareLate(run, date, accepted, state);
        if (late === undefined) continue;
        ({ state } = late);
        yield late;
        continue;
      }
      const isAwaited = state.awaited.some((each) => each.date === date);
      const checked = isAwaited ? await readChecks(run, date, state) : { checks: [], state };
      ({ state } = checked);
      const judged = await judgeDate(run, date, { checks: checked.checks, isAwaited });
      const parts = judged.map((each) => ({ ...each, values: comparedValues(each, accepted, sources) }));
      if (run.nowMs <= settledMs(date, run.plan.rules.settlingDays)) fresh.set(date, parts);
      else {
        for (const step of reviseDates(run, known, new Map([[date, parts]]), state)) {
          ({ state } = step);
          yield step;
        }
      }
    }
  } catch (error) {
    // New dates are not blocked: the run reports the failure at its end.
    if (!(error instanceof SourceError)) throw error;
  }
  yield* reviseDates(run, known, fresh, state);
}

/** Decides about the differences of dates that were read again. */
function* reviseDates(
  run: ChainRun,
  known: readonly LedgerDate[],
  fresh: ReadonlyMap<string, readonly JudgedPart[]>,
  before: ChainState,
): Generator<DayStep> {
  let state = before;
  const revisions = findRevisions(
    known.filter(({ date }) => fresh.has(date)),
    new Map([...fresh].map(([date, parts]) => [date, mergeParts(parts)])),
    {
      rules: run.plan.rules,
      nowMs: run.nowMs,
      first: run.firstValues,
      accepts: run.accepts,
      standing: state.drifts.filter(({ date }) => date >= run.first),
    },
  );
  for (const [date, parts] of fresh) {
    const changes = revisions.filter((each) => each.date === date);
    const step = reviseDate(run, { date, parts, changes }, state);
    ({ state } = step);
    yield step;
  }
}

/** Compares an accepted date with sources that had nothing of it when it was accepted, until the date is settled. */
async function compareLate(
  run: ChainRun,
  date: string,
  accepted: DayValues,
  before: ChainState,
): Promise<DayStep | undefined> {
  const { plan, reader, nowMs } = run;
  if (nowMs > settledMs(date, plan.rules.settlingDays)) return undefined;
  const isNew = plan.checks.some(({ source }) => {
    const mark = reader.markOf(source, date);
    return mark !== undefined && mark !== before.marks[source.facts.id]?.[date];
  });
  if (!isNew) return undefined;
  const { checks, state } = await readChecks(run, date, before);
  const findings = compareSources(accepted, checks, plan.rules).map((found): Finding => ({
    ...found,
    effect: 'noted',
    message: `${found.message} The value was accepted before.`,
  }));
  return {
    lines: [],
    lineages: [],
    state: withMarks(run, date, state, []),
    report: {
      date,
      outcome: 'unchanged',
      isNewlyOverdue: false,
      missing: [],
      findings,
      revisions: [],
    },
  };
}

/**
 * Returns the values of a part that are compared with the accepted ones: what the source says now, also if it is far from
 * other dates. Leaves out false zeros, and values whose accepted ones came from another source, because those are another
 * series.
 */
function comparedValues(
  { day, values, findings, part }: JudgedPart,
  accepted: DayValues,
  sources: LedgerDate['sources'],
): DayValues {
  const { id } = part.source.facts;
  const isWhole = !findings.some(
    ({ rule, effect }) => effect === 'withheld' && (rule === 'shape' || rule === 'whole'),
  );
  const zeros = findings.filter(({ rule }) => rule === 'zero').flatMap(({ metrics }) => metrics);
  const said = isWhole
    ? pickValues(
        day.values,
        metricsIn(accepted).filter((metric) => !zeros.includes(metric)),
      )
    : {};
  const compared = { ...values, ...said };
  return pickValues(
    compared,
    metricsIn(compared).filter((metric) => (sources[metric] ?? id) === id),
  );
}

/** Returns whether the value of an earlier difference was read again, so that the difference is found again or is gone. */
function wasCompared(parts: readonly JudgedPart[], { source, metric }: Drift): boolean {
  return parts.some(
    ({ part, day }) =>
      part.source.facts.id === source && (day.failures === undefined || day.values[metric] !== undefined),
  );
}

type Revised = {
  readonly date: string;
  readonly parts: readonly JudgedPart[];
  readonly changes: readonly Revision[];
};

function reviseDate(run: ChainRun, { date, parts, changes }: Revised, before: ChainState): DayStep {
  const of = (part: JudgedPart): Revision[] =>
    changes.filter(({ metric }) => part.values[metric] !== undefined);
  const revised = parts.map((each) => {
    const lineage = toLineage(each.part.source.facts.id, each.day, each.findings);
    return { lineage, lines: toRevisionLines(run, of(each), lineage) };
  });
  const lines = revised.flatMap((each) => each.lines);
  const drifts = [
    ...before.drifts.filter((each) => each.date === date && !wasCompared(parts, each)),
    ...parts.flatMap((each) =>
      of(each)
        .filter(({ kind }) => kind === 'drift')
        .map(({ metric, from, to }) => ({ metric, from, to, source: each.part.source.facts.id })),
    ),
  ];
  const values = Object.assign({}, run.values.get(date), ...lines.map((line) => line.values)) as DayValues; // Object.assign loses the type
  run.values.set(date, values);
  const findings = parts.flatMap((each) => each.findings);
  const missing = run.plan.rules.required.filter((metric) => values[metric] === undefined);
  const drifted = withDrifts(withMarks(run, date, before, parts), date, drifts, run.now);
  return {
    lines,
    lineages: revised.flatMap((each) => (each.lines.length > 0 ? [each.lineage] : [])),
    state: withAwaited(
      drifted,
      date,
      awaitedOf(run, date, { missing, findings, acceptable: acceptableOf(parts) }),
      run.now,
    ),
    report: {
      date,
      isNewlyOverdue: false,
      missing,
      findings,
      revisions: changes,
      said: saidOf(parts),
      outcome: lines.length > 0 ? 'revised' : 'unchanged',
      withheld: withheldOf(date, parts, values, run.plan.rules, run.values.get(addDays(date, -1))),
    },
  };
}

/** Options that all lines of a run share. */
type LineOptions = { readonly plan: ChainPlan; readonly now: string };

/** Returns a line of the ledger of a chain. */
function toLine(
  { plan, now }: LineOptions,
  {
    date,
    values,
    lineage,
    rule,
    reason,
  }: Pick<LedgerLine, 'date' | 'rule' | 'reason'> & {
    readonly values: DayValues;
    readonly lineage: Lineage;
  },
): LedgerLine {
  const kept = pickValues(values, metricsIn(values)) as LedgerLine['values']; // without absent members
  const { chain } = plan;
  return {
    chain,
    date,
    values: kept,
    source: lineage.source,
    rule,
    reason,
    lineage: lineage.sha256,
    accepted_at: now,
  };
}

/**
 * Returns the lineage of a part of a new date, and its lines: one for the values that a person accepted, and one for the
 * others.
 */
export function toDayLines(
  options: LineOptions & { readonly accepts: Acceptances['accepts'] },
  date: string,
  { part, day, findings, values }: JudgedPart,
  { rule, reason }: { readonly rule: 'day' | 'deadline'; readonly reason: string },
): { readonly lineage: Lineage; readonly lines: readonly LedgerLine[] } {
  const lineage = toLineage(part.source.facts.id, day, findings);
  const isNamed = (metric: MetricName): boolean => options.accepts(date, metric, values[metric]);
  const line = (metrics: readonly MetricName[], why: Pick<LedgerLine, 'rule' | 'reason'>): LedgerLine[] =>
    metrics.length === 0
      ? []
      : [toLine(options, { date, values: pickValues(values, metrics), lineage, ...why })];
  const all = metricsIn(values);
  return {
    lineage,
    lines: [
      ...line(
        all.filter((metric) => !isNamed(metric)),
        { rule, reason: null },
      ),
      ...line(all.filter(isNamed), { rule: 'person', reason }),
    ],
  };
}

/** Returns a line for the values of a date that are filled in, one for those that are revised, and one for a person's. */
function toRevisionLines(
  options: LineOptions & { readonly accepted: Acceptances },
  changes: readonly Revision[],
  lineage: Lineage,
): LedgerLine[] {
  const { accepts, reason } = options.accepted;
  const linesOf = (
    kind: Revision['kind'],
    rule: LedgerLine['rule'],
    why: string,
    byPerson: boolean,
  ): LedgerLine[] => {
    const of = changes.filter(
      (each) => each.kind === kind && accepts(each.date, each.metric, each.to) === byPerson,
    );
    const [first] = of;
    if (first === undefined) return [];
    const values = Object.fromEntries(of.map(({ metric, to }) => [metric, to]));
    return [toLine(options, { date: first.date, values, lineage, rule, reason: why })];
  };
  return [
    ...linesOf('fill-in', 'fill-in', 'source completed the date', false),
    ...linesOf('revision', 'revision', 'source revised within its settling window', false),
    ...linesOf('revision', 'person', reason, true),
  ];
}
