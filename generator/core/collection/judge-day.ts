import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import {
  type CollectedDay,
  type DayValues,
  type EarlierDate,
  isValue,
  metricsIn,
  pickValues,
} from './day-values.js';
import type { CollectionRules, Finding } from './collection-rules.js';
import {
  type Check,
  compareSources,
  findConstants,
  findFalseZeros,
  findJumps,
  findUnrelated,
  isConfirmed,
} from './compared.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';

/** Options for `judgeDay`: everything that a day is judged by, beside its own values. */
export type JudgeOptions = {
  readonly rules: CollectionRules;
  /** The accepted values of the last dates before, from the oldest; those that the rules compare with. */
  readonly before: readonly EarlierDate[];
  readonly neighbours?: Omit<Surroundings, 'isSettled'>;
  readonly checks?: readonly Check[];
  /** Metrics of the day that a person accepted although they are 0, repeat themselves, jump or differ from another source. */
  readonly accepted?: readonly MetricName[];
  /**
   * True if the source no longer revises the day: a repeated value, a jump, another source and an unusual number of blocks
   * are then only noted. A false zero stays missing, and a day that is not whole stays withheld.
   */
  readonly isSettled?: boolean;
  /** Metrics of a settled day that have no accepted value: what a rule stops stays stopped, and is not only noted. */
  readonly open?: readonly MetricName[];
};

/** The values of a day that passed, the metrics that must wait, and what was found. */
export type Judgement = {
  readonly values: DayValues;
  readonly withheld: readonly MetricName[];
  /** The values that are not accepted for now, but that a person may accept. */
  readonly acceptable: DayValues;
  readonly findings: readonly Finding[];
};

/** Judges the values of a day by the rules `shape` to `cross`. */
export function judgeDay(
  day: CollectedDay,
  { rules, before, neighbours = {}, checks = [], accepted = [], isSettled = false, open = [] }: JudgeOptions,
): Judgement {
  const shape = findShapeFaults(day);
  const gaps = areIntegers(day.counts) ? findGaps(day, rules, { ...neighbours, isSettled }) : [];
  const values = without(day.values, [...shape, ...gaps]);
  const settle = (finding: Finding): Finding =>
    isSettled && finding.effect !== 'noted' && !finding.metrics.some((metric) => open.includes(metric))
      ? noted(finding, 'The source has settled the day.')
      : finding;
  const accept = (finding: Finding): Finding =>
    finding.effect !== 'noted' && finding.metrics.every((metric) => accepted.includes(metric))
      ? noted(finding, 'A person accepted it.')
      : finding;
  const missing = [
    ...findFalseZeros(values, before, rules),
    ...findConstants(values, before).map(settle),
  ].map(accept);
  const present = without(values, missing);
  const compared = [
    ...findJumps(present, before, rules).filter(
      ({ metrics }) => !metrics.every((metric) => isConfirmed(metric, present, checks, rules)),
    ),
    ...compareSources(present, checks, rules),
  ].map((finding) => settle(accept(finding)));
  const already = stoppedBy(compared);
  const unrelated = findUnrelated(present, rules)
    .filter(({ metrics }) => !metrics.every((metric) => already.includes(metric)))
    .map(accept);
  const stopped = [...missing, ...compared, ...unrelated];
  const together = findDependent(present, stopped);
  const findings = [...shape, ...gaps, ...stopped, ...together];
  const withheld = findings.filter(({ effect }) => effect === 'withheld').flatMap(({ metrics }) => metrics);
  return {
    values: without(present, [...compared, ...unrelated, ...together]),
    withheld: [...new Set(withheld)],
    acceptable: pickValues(values, stoppedBy(stopped)),
    findings,
  };
}

/** Withholds all other values of a day whose `tx_count` a rule stops: the source may have only a part of the day. */
function findDependent(present: DayValues, findings: readonly Finding[]): Finding[] {
  const cause = findings.find(({ effect, metrics }) => effect !== 'noted' && metrics.includes('tx_count'));
  const others = metricsIn(without(present, findings));
  if (cause === undefined || others.length === 0) return [];
  const message = `${others.join(', ')} wait with tx_count: the source may have only a part of the day.`;
  return [{ rule: cause.rule, metrics: others, effect: 'withheld', message }];
}

function noted(finding: Finding, why: string): Finding {
  return { ...finding, effect: 'noted', message: `${finding.message} ${why}` };
}

/** Returns the values without those that findings withhold or omit. */
function without(values: DayValues, findings: readonly Finding[]): DayValues {
  const lost = stoppedBy(findings);
  return pickValues(
    values,
    metricsIn(values).filter((metric) => !lost.includes(metric)),
  );
}

/** Returns the metrics that findings withhold or omit. */
function stoppedBy(findings: readonly Finding[]): MetricName[] {
  return findings.filter(({ effect }) => effect !== 'noted').flatMap(({ metrics }) => metrics);
}

const INTEGER = /^(0|[1-9]\d*)$/;

/** Returns whether all counts of a day are integers, so that they can be compared. */
function areIntegers(counts: CollectedDay['counts']): boolean {
  return Object.values(counts).every((count) => INTEGER.test(count));
}

/** Finds invalid values: of metrics that the chain does not have, counts with fractions, and texts that are not numbers. */
function findShapeFaults({ chain, values, counts }: CollectedDay): Finding[] {
  const fault = (metrics: Finding['metrics'], message: string): Finding => ({
    rule: 'shape',
    metrics,
    effect: 'withheld',
    message,
  });
  const foreign = metricsIn(values).filter((metric) => !metricsOf(chain).includes(metric));
  const wrong = metricsIn(values).filter(
    (metric) => !foreign.includes(metric) && !isValue(metric, values[metric] ?? ''),
  );
  const odd = Object.keys(counts).filter((name) => !INTEGER.test(counts[name] ?? ''));
  return [
    ...foreign.map((metric) => fault([metric], `${chain} has no metric ${metric}.`)),
    ...wrong.map((metric) =>
      fault([metric], `${metric} is "${values[metric] ?? ''}", which is not a valid value.`),
    ),
    ...odd.map((name) => fault(metricsIn(values), `${name} is "${counts[name] ?? ''}", not an integer.`)),
  ];
}

/** The counts of a source that reads blocks. A name that the source does not give is not checked. */
type Counts = CollectedDay['counts'];

/** Pairs of counts that are equal on a whole day, with the chains that have them. */
const EQUAL: readonly (readonly [one: string, other: string, chains: readonly Chain[]])[] = [
  ['block_numbers', 'block_count', ['bitcoin', 'ethereum', 'arbitrum', 'base']],
  ['block_tx_count', 'all_rows', ['bitcoin', 'ethereum', 'arbitrum', 'base']],
  ['coinbase_count', 'block_count', ['bitcoin']],
  ['all_gas', 'gas_used', ['ethereum', 'arbitrum', 'base']],
];

/** Why a day is not whole; `value` and `bound` as in `Finding`. */
type Gap = Pick<Finding, 'message' | 'value' | 'bound'>;

/** Counts of rows that a whole day does not have. */
const NONE = /_(missing|disagrees)$/;

/** The surroundings of a day: the counts of dates around it, and whether the source no longer revises it. */
type Surroundings = {
  /** On the date before the last one. */
  readonly earlier?: Counts;
  readonly before?: Counts;
  readonly after?: Counts;
  readonly isSettled?: boolean;
};

/** Returns why a day is not whole, by its own counts and those of the dates around it; nothing is wrong if empty. */
export function findGaps(
  { chain, values, counts }: CollectedDay,
  { blocks }: Pick<CollectionRules, 'blocks'>,
  { earlier, before, after, isSettled = false }: Surroundings = {},
): Finding[] {
  const toFinding =
    (effect: Finding['effect']) =>
    (gap: Gap): Finding => ({ rule: 'whole', metrics: metricsIn(values), effect, ...gap });
  const gaps: Gap[] = [
    ...EQUAL.filter(([one, other, chains]) => chains.includes(chain) && one in counts && other in counts)
      .filter(([one, other]) => counts[one] !== counts[other])
      .map(([one, other]) => {
        const [value, bound] = [counts[one] ?? '', counts[other] ?? ''];
        return { message: `${one} is ${value}, but ${other} is ${bound}.`, value, bound };
      }),
    ...Object.entries(counts)
      .filter(([name, count]) => NONE.test(name) && count !== '0')
      .map(([name, count]) => ({ message: `${name} is ${count}, not 0.`, value: count, bound: '0' })),
    ...(chain === 'bitcoin' ? findMissingBetween(before, counts, after) : findBrokenSpan(counts, before)),
  ];
  const isNewest = chain === 'bitcoin' && after === undefined;
  const lone = isNewest ? findManyMissing(counts) : [];
  const late = isNewest ? findMissingBetween(earlier, before, counts) : []; // about the day before, accepted already
  return [
    ...[...gaps, ...lone].map(toFinding('withheld')),
    ...findBlockCount({ block_count: counts['block_count'] ?? values.block_count }, blocks).map(
      toFinding(isSettled ? 'noted' : 'withheld'),
    ),
    ...late.map(toFinding('noted')),
    ...findWithoutStatus(counts),
  ];
}

/** Finds that receipts from before Byzantium do not state whether their transactions failed. */
function findWithoutStatus({ before_status: count = '0' }: Counts): Finding[] {
  if (count === '0') return [];
  const message = `failed_tx_count is left out: ${count} receipts are from before Byzantium (2017-10-16) and have no status.`;
  return [{ rule: 'whole', metrics: ['failed_tx_count'], effect: 'omitted', message }];
}

/** The number of blocks of a source that counts nothing itself is a value. One that is no number has the rule `shape`. */
function findBlockCount(
  { block_count: count }: { readonly block_count: string | undefined },
  [least, most]: CollectionRules['blocks'],
): Gap[] {
  if (count === undefined || !INTEGER.test(count) || (Number(count) >= least && Number(count) <= most))
    return [];
  const allowed = least === most ? `${least}` : `between ${least} and ${most}`;
  const bound = least === most ? `${least}` : `${least}..${most}`;
  return [{ message: `block_count is ${count}, not ${allowed}.`, value: count, bound }];
}

/** Finds missing block numbers of a day whose blocks follow those of the day before. */
function findBrokenSpan(counts: Counts, before: Counts | undefined): Gap[] {
  const day = toSpan(counts);
  if (day === undefined) return [];
  const { first, last, count } = day;
  const gap = gapOf(day);
  if (gap > 0n) {
    const message = `${gap} of the blocks ${first} to ${last} are missing.`;
    return [{ message, value: `${count}`, bound: `${last - first + 1n}` }];
  }
  const previousLast = before?.['last_block'];
  if (previousLast === undefined || BigInt(previousLast) + 1n === first) return [];
  const message = `the first block is ${first}, but the day before ended with ${previousLast}.`;
  return [{ message, value: `${first}`, bound: `${BigInt(previousLast) + 1n}` }];
}

/**
 * Finds block numbers of bitcoin that none of three days has. Header times may go backwards, so the numbers of two days can
 * interleave at midnight: numbers that the outer days lack may be in the days beyond them.
 */
function findMissingBetween(...counts: (Counts | undefined)[]): Gap[] {
  const [before, day, after] = counts.map(toSpan);
  if (before === undefined || day === undefined || after === undefined) return [];
  const days = [before, day, after];
  const first = days.map((span) => span.first).reduce((a, b) => (b < a ? b : a));
  const last = days.map((span) => span.last).reduce((a, b) => (b > a ? b : a));
  const count = days.map((span) => span.count).reduce((a, b) => a + b);
  const expected = last - first + 1n;
  const missing = expected - count;
  const beyond = gapOf(before) + gapOf(after) - within(before, day.first) - within(after, day.last);
  if (missing >= 0n && missing <= beyond) return [];
  const message = `the blocks ${first} to ${last} are ${expected}, but ${count} were found on three days.`;
  return [{ message, value: `${count}`, bound: `${expected}` }];
}

/** Most blocks of bitcoin's newest date that may have times of the dates around it. */
const MOST_INTERLEAVED = 6;

/** Finds more missing block numbers in a day of bitcoin than those that the dates around it can have. */
function findManyMissing(counts: Counts): Gap[] {
  const day = toSpan(counts);
  if (day === undefined || gapOf(day) <= MOST_INTERLEAVED) return [];
  const message = `${gapOf(day)} of the blocks ${day.first} to ${day.last} are missing, more than ${MOST_INTERLEAVED}.`;
  return [{ message, value: `${gapOf(day)}`, bound: `${MOST_INTERLEAVED}` }];
}

/** Returns 1 if a number of another day is in the span of a day, where it is one of the day's gaps; 0 otherwise. */
function within({ first, last }: Span, number: bigint): bigint {
  return number >= first && number <= last ? 1n : 0n;
}

type Span = { readonly first: bigint; readonly last: bigint; readonly count: bigint };

function gapOf({ first, last, count }: Span): bigint {
  return last - first + 1n - count;
}

function toSpan(counts: Counts | undefined): Span | undefined {
  const { first_block: first, last_block: last, block_count: count } = counts ?? {};
  if (first === undefined || last === undefined || count === undefined) return undefined;
  return { first: BigInt(first), last: BigInt(last), count: BigInt(count) };
}

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
