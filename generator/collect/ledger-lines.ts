import type { LedgerLine, MetricName } from '../../schemas/types.generated.js';
import type { DayValues } from '../core/collection/values/day-values.js';
import { metricsIn, pickValues } from '../core/collection/values/day-values.js';
import { toLineage, type Lineage } from '../core/collection/ledger/lineage.js';
import type { JudgedPart } from './days/day-judge.js';
import type { Revision } from '../core/collection/settling.js';
import type { Acceptances, ChainPlan } from './policy/chain-plan.js';

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
export function toRevisionLines(
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
