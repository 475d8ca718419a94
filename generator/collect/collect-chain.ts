import { addDays, toDate, toInstant } from '../../schemas/dates.js';
import type { Chain, LedgerLine, MetricName } from '../../schemas/types.generated.js';
import type { CollectedDay } from '../core/collection/collected-day.js';
import type { CollectionRules } from '../core/collection/collection-rules.js';
import { decideDay, type DayDecision } from '../core/collection/day-decision.js';
import { metricsIn, pickValues, type DatedValues, type DayValues } from '../core/collection/day-values.js';
import type { Finding } from '../core/collection/finding.js';
import { judgeDay } from '../core/collection/judge-day.js';
import { datesOf, type LedgerDate } from '../core/collection/ledger.js';
import { toLineage, type Lineage } from '../core/collection/lineage.js';
import { findRevisions, type Revision } from '../core/collection/settling.js';
import type { Source } from '../sources/source.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The decisions of a person: values that the rules would withhold, and revisions that they would not take. */
export type Acceptances = {
  readonly values: (date: string) => readonly MetricName[];
  readonly revision: (date: string, metric: MetricName) => boolean;
  /** Public reason of accepted revisions. */
  readonly reason: string;
};

/** Options for `collectChain`. */
export type CollectChainOptions = {
  readonly chain: Chain;
  readonly source: Source;
  readonly rules: CollectionRules;
  readonly lines: readonly LedgerLine[];
  /** First date of an empty ledger. */
  readonly since: string;
  readonly nowMs: number;
  readonly accepted?: Acceptances;
  readonly signal: AbortSignal;
};

/** A date that a collection looked at. */
export type DayReport = {
  readonly date: string;
  readonly outcome: DayDecision['outcome'] | 'absent' | 'revised' | 'unchanged';
  /** The required metrics that a new day lacks. */
  readonly missing: readonly MetricName[];
  readonly findings: readonly Finding[];
  /** The changes of accepted values, taken or not. */
  readonly revisions: readonly Revision[];
};

/** The lines that a collection adds to the ledger of a chain, the lineages that they name, and what it found. */
export type ChainCollection = {
  readonly added: readonly LedgerLine[];
  readonly lineages: readonly Lineage[];
  readonly days: readonly DayReport[];
};

/**
 * Collects the dates of a chain that are new or may still change: judges each new day, and compares what the source gives now
 * for accepted dates with their values. Writes nothing. @throws SourceError if the source does not answer as expected.
 */
export async function collectChain(options: CollectChainOptions): Promise<ChainCollection> {
  const { chain, source, rules, lines, since, nowMs, signal } = options;
  const known = datesOf(lines);
  const last = toDate(Math.floor((nowMs - rules.firstTryHours * HOUR_MS) / DAY_MS) - 1);
  const oldest = toDate(Math.floor(nowMs / DAY_MS) - 1 - rules.fillInDays);
  const first = firstOf(known, oldest) ?? since;
  if (first > last) return { added: [], lineages: [], days: [] };
  const offered = await source.days(chain, { first, last }, signal);
  const read = new Map<string, CollectedDay>();
  for (const date of [...offered.keys()].sort()) read.set(date, await source.day(chain, date, signal));
  return judgeAll({ ...options, known, first, last, read });
}

/** Returns the first date to look at: one that may still be filled in, or the one after the newest. */
function firstOf(known: readonly LedgerDate[], oldest: string): string | undefined {
  const [first, newest] = [known[0]?.date, known.at(-1)?.date];
  if (first === undefined || newest === undefined) return undefined;
  const next = addDays(newest, 1);
  return oldest < first ? first : oldest < next ? oldest : next;
}

type JudgeAllOptions = CollectChainOptions & {
  readonly known: readonly LedgerDate[];
  readonly first: string;
  readonly last: string;
  readonly read: ReadonlyMap<string, CollectedDay>;
};

function judgeAll(options: JudgeAllOptions): ChainCollection {
  const { known, first, last, read, rules } = options;
  const values = new Map(known.map((each) => [each.date, each.values]));
  const revisions = reviseKnown(options, values);
  const steps: Step[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    const day = read.get(date);
    if (values.has(date) && day !== undefined) {
      steps.push(reviseDay(options, day, judged(options, day, values), revisions));
    } else if (day !== undefined) {
      steps.push(acceptDay(options, day, judged(options, day, values), values));
    } else if (!values.has(date)) {
      const report = {
        date,
        outcome: 'absent',
        missing: rules.required,
        findings: [],
        revisions: [],
      } as const;
      steps.push({ lines: [], report });
    }
  }
  return {
    added: steps.flatMap(({ lines }) => lines),
    lineages: steps.flatMap(({ lines, lineage }) => (lines.length > 0 && lineage ? [lineage] : [])),
    days: steps.map(({ report }) => report),
  };
}

/** The result for a date. */
type Step = { readonly lines: readonly LedgerLine[]; readonly lineage?: Lineage; readonly report: DayReport };

type Judged = { readonly values: DayValues; readonly findings: readonly Finding[] };

/** Compares what the source gives now for all accepted dates with their values. */
function reviseKnown(options: JudgeAllOptions, values: ReadonlyMap<string, DayValues>): Revision[] {
  const { known, read, rules, nowMs, accepted } = options;
  const fresh = new Map(
    known.flatMap(({ date }) => {
      const day = read.get(date);
      return day === undefined ? [] : [[date, judged(options, day, values).values] as const];
    }),
  );
  return findRevisions(known, fresh, { rules, nowMs, ...(accepted ? { accepts: accepted.revision } : {}) });
}

function reviseDay(
  options: JudgeAllOptions,
  day: CollectedDay,
  { findings }: Judged,
  revisions: readonly Revision[],
): Step {
  const { date } = day;
  const changes = revisions.filter((each) => each.date === date);
  const lineage = toLineage(options.source.facts.id, day, findings);
  const lines = toRevisionLines(options, changes, lineage);
  const outcome = lines.length > 0 ? 'revised' : 'unchanged';
  return { lines, lineage, report: { date, outcome, missing: [], findings, revisions: changes } };
}

/** Decides about a new day, and adds what is accepted of it to `values`. */
function acceptDay(
  options: JudgeAllOptions,
  day: CollectedDay,
  found: Judged,
  values: Map<string, DayValues>,
): Step {
  const { date } = day;
  const { outcome, values: taken, missing } = decideDay(date, found, options.rules, options.nowMs);
  const report = { date, outcome, missing, findings: found.findings, revisions: [] };
  if (metricsIn(taken).length === 0) return { lines: [], report };
  values.set(date, taken);
  const lineage = toLineage(options.source.facts.id, day, found.findings);
  const rule = outcome === 'accepted' ? 'day' : 'deadline';
  return { lines: [toLine(options, date, taken, lineage, rule)], lineage, report };
}

/** Judges a day by the accepted values of the dates before it. */
function judged(
  { rules, accepted, read }: Pick<JudgeAllOptions, 'rules' | 'accepted' | 'read'>,
  day: CollectedDay,
  values: ReadonlyMap<string, DayValues>,
): Judged {
  const before: DatedValues[] = [];
  for (let i = rules.historyDates; i > 0; i -= 1) {
    const date = addDays(day.date, -i);
    const found = values.get(date);
    if (found !== undefined) before.push({ date, values: found });
  }
  const [previous, next] = [read.get(addDays(day.date, -1)), read.get(addDays(day.date, 1))];
  const neighbours = {
    ...(previous ? { before: previous.counts } : {}),
    ...(next ? { after: next.counts } : {}),
  };
  return judgeDay(day, { rules, before, neighbours, accepted: accepted?.values(day.date) ?? [] });
}

/** Returns a line for the values that are filled in, and one for those that are revised. */
function toRevisionLines(
  options: JudgeAllOptions,
  changes: readonly Revision[],
  lineage: Lineage,
): LedgerLine[] {
  const linesOf = (
    kind: 'fill-in' | 'revision',
    rule: LedgerLine['rule'],
    reason: string,
    by: readonly Revision[],
  ): LedgerLine[] => {
    const of = by.filter((each) => each.kind === kind);
    const [first] = of;
    if (first === undefined) return [];
    const values = Object.fromEntries(of.map(({ metric, to }) => [metric, to]));
    return [{ ...toLine(options, first.date, values, lineage, rule), reason }];
  };
  const isByPerson = ({ date, metric }: Revision): boolean =>
    options.accepted?.revision(date, metric) === true;
  const [byPerson, byRule] = [changes.filter(isByPerson), changes.filter((each) => !isByPerson(each))];
  return [
    ...linesOf('fill-in', 'fill-in', 'source completed the date', byRule),
    ...linesOf('revision', 'revision', 'source revised within its settling window', byRule),
    ...linesOf('revision', 'person', options.accepted?.reason ?? '', byPerson),
  ];
}

function toLine(
  { chain, source, nowMs }: CollectChainOptions,
  date: string,
  values: DayValues,
  { sha256 }: Lineage,
  rule: LedgerLine['rule'],
): LedgerLine {
  const kept = pickValues(values, metricsIn(values)) as LedgerLine['values']; // without absent members
  return {
    chain,
    date,
    values: kept,
    source: source.facts.id,
    rule,
    reason: null,
    lineage: sha256,
    accepted_at: toInstant(nowMs),
  };
}
