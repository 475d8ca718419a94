import type { Chain } from '../../../../schemas/types.generated.js';
import type { CollectedDay } from '../values/collected-day.js';
import type { CollectionRules } from '../collection-rules.js';
import { metricsIn } from '../values/day-values.js';
import type { Finding } from '../finding.js';

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
export type Surroundings = {
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
    ...findBlockCount(counts, blocks).map(toFinding(isSettled ? 'noted' : 'withheld')),
    ...late.map(toFinding('noted')),
  ];
}

function findBlockCount({ block_count: count }: Counts, [least, most]: CollectionRules['blocks']): Gap[] {
  if (count === undefined || (Number(count) >= least && Number(count) <= most)) return [];
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
