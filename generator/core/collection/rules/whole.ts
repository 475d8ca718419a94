import type { Chain } from '../../../../schemas/types.generated.js';
import type { CollectedDay } from '../collected-day.js';
import type { CollectionRules } from '../collection-rules.js';
import { metricsIn } from '../day-values.js';
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

/** Returns why a day is not whole, by its own counts and those of the dates before and after it; nothing is wrong if empty. */
export function findGaps(
  { chain, values, counts }: CollectedDay,
  { blocks: [least, most] }: Pick<CollectionRules, 'blocks'>,
  neighbours: { readonly before?: Counts; readonly after?: Counts } = {},
): Finding[] {
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
    ...findBlockCount(counts, least, most),
    ...findBrokenSpan(chain, counts, neighbours),
  ];
  return gaps.map((gap) => ({ rule: 'whole', metrics: metricsIn(values), effect: 'withheld', ...gap }));
}

function findBlockCount({ block_count: count }: Counts, least: number, most: number): Gap[] {
  if (count === undefined || (Number(count) >= least && Number(count) <= most)) return [];
  const allowed = least === most ? `${least}` : `between ${least} and ${most}`;
  const bound = least === most ? `${least}` : `${least}..${most}`;
  return [{ message: `block_count is ${count}, not ${allowed}.`, value: count, bound }];
}

/**
 * Finds missing block numbers. On bitcoin, header times may go backwards, so the numbers of two days can interleave at
 * midnight: there the span of three days is compared.
 */
function findBrokenSpan(
  chain: Chain,
  counts: Counts,
  { before, after }: { readonly before?: Counts; readonly after?: Counts },
): Gap[] {
  const days = chain === 'bitcoin' ? [before, counts, after] : [counts];
  const spans = days.map((each) => each && toSpan(each));
  if (spans.some((span) => span === undefined)) return [];
  const whole = spans.flatMap((span) => span ?? []);
  const first = whole.map((span) => span.first).reduce((a, b) => (b < a ? b : a));
  const last = whole.map((span) => span.last).reduce((a, b) => (b > a ? b : a));
  const count = whole.map((span) => span.count).reduce((a, b) => a + b, 0n);
  const expected = last - first + 1n;
  if (expected !== count) {
    const message = `the blocks ${first} to ${last} are ${expected}, but ${count} were found.`;
    return [{ message, value: `${count}`, bound: `${expected}` }];
  }
  const previousLast = before?.['last_block'];
  return chain !== 'bitcoin' && previousLast !== undefined && BigInt(previousLast) + 1n !== first
    ? [
        {
          message: `the first block is ${first}, but the day before ended with ${previousLast}.`,
          value: `${first}`,
          bound: `${BigInt(previousLast) + 1n}`,
        },
      ]
    : [];
}

type Span = { readonly first: bigint; readonly last: bigint; readonly count: bigint };

function toSpan({ first_block: first, last_block: last, block_count: count }: Counts): Span | undefined {
  if (first === undefined || last === undefined || count === undefined) return undefined;
  return { first: BigInt(first), last: BigInt(last), count: BigInt(count) };
}
