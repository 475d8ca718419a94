import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import type { CollectedDay } from './day-values.js';
import { toHalf, toQuotient, toScaled } from './decimal.js';

/** A row of a result, in which all columns are text. */
export type TextRow = { readonly [column: string]: string | null };

type QueryDay = Pick<CollectedDay, 'values' | 'counts'>;

/** Integers of a day by the name of their column. A column that was null is absent. */
type Integers = ReadonlyMap<string, bigint>;

type MaybeValues = { readonly [metric in MetricName]?: string | undefined };

/** Power of ten of the smallest amount, in the native coin. */
const SMALLEST = { satoshi: -8, wei: -18 } as const;
const WEI_PER_GWEI = 10n ** 9n;
/**
 * Columns of bitcoin's rows that are about the blocks of a row: a date has one row per difficulty. All others are about the
 * whole date.
 */
const OF_BLOCKS = [
  'block_count',
  'block_numbers',
  'block_tx_count',
  'block_size',
  'block_weight',
  'first_block',
  'last_block',
];

/**
 * Returns what the chain's query (`schemas/sql`) found on a date: the values in the catalog's units, and its integers.
 * Each count whose name ends in `_missing` or `_disagrees` must be 0 in data that are whole.
 * Precondition: `rows` are all rows of one date, at least one.
 * @throws RangeError if a row is not as the query's text promises.
 */
export function toQueryDay(chain: Chain, rows: readonly TextRow[]): QueryDay {
  return chain === 'bitcoin' ? toBitcoinDay(rows) : toEvmDay(rows);
}

function toEvmDay(rows: readonly TextRow[]): QueryDay {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new RangeError(`a date has ${rows.length} rows, not one`);
  const integers = parseIntegers(row);
  const get = (name: string): bigint | undefined => integers.get(name);
  const l2Fees = get('l2_fees') ?? get('fees'); // only base has fees for another chain in `fees`
  return {
    values: withoutMissing({
      ...commonValues(integers, SMALLEST.wei),
      failed_tx_count: toText(get('failed_tx_count')),
      gas_used: toText(get('gas_used')),
      gas_limit_mean: toMean(get('gas_limit_sum'), get('block_count')),
      gas_price_mean: toMean(l2Fees, multiply(get('tx_gas_used'), WEI_PER_GWEI)),
    }),
    counts: toCounts(integers),
  };
}

function toBitcoinDay(rows: readonly TextRow[]): QueryDay {
  const parsed = rows.map(({ bits, ...row }) => ({ bits: bits ?? '', integers: parseIntegers(row) }));
  const integers = mergeRows(parsed.map((row) => row.integers));
  const groups = parsed.map((row) => ({ bits: row.bits, blocks: row.integers.get('block_count') ?? 0n }));
  const output = integers.get('coinbase_output');
  const fees = integers.get('fees');
  const issuance = output === undefined || fees === undefined ? undefined : output - fees;
  return {
    values: withoutMissing({
      ...commonValues(integers, SMALLEST.satoshi),
      block_weight: toText(integers.get('block_weight')),
      block_size: toText(integers.get('block_size')),
      hash_rate: hashRate(groups),
      difficulty: meanDifficulty(groups),
      issuance: issuance === undefined ? undefined : toScaled(issuance, SMALLEST.satoshi),
    }),
    counts: {
      ...toCounts(integers),
      ...Object.fromEntries(groups.map(({ bits, blocks }) => [`bits_${bits}`, String(blocks)])),
    },
  };
}

function commonValues(integers: Integers, exponent: number): MaybeValues {
  const fees = integers.get('fees');
  const twiceMedian = integers.get('fee_median_x2');
  return {
    tx_count: toText(integers.get('tx_count')),
    active_addresses: toText(integers.get('active_addresses')),
    block_count: toText(integers.get('block_count')),
    fees_total: fees === undefined ? undefined : toScaled(fees, exponent),
    fee_median: twiceMedian === undefined ? undefined : toHalf(twiceMedian, exponent),
  };
}

/** Merges the rows of a date. A sum over blocks that one row lacks is missing on the date. @throws RangeError */
function mergeRows(rows: readonly Integers[]): Integers {
  const [first, ...rest] = rows;
  if (first === undefined) throw new RangeError('a date has no rows');
  return rest.reduce((day, row) => {
    const merged = new Map<string, bigint>();
    for (const name of new Set([...day.keys(), ...row.keys()])) {
      const value = mergeValue(name, day.get(name), row.get(name));
      if (value !== undefined) merged.set(name, value);
    }
    return merged;
  }, first);
}

function mergeValue(name: string, one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (OF_BLOCKS.includes(name)) {
    return one === undefined || other === undefined ? undefined : mergeBlocks(name, one, other);
  }
  if (one !== other) throw new RangeError(`the rows of a date differ in ${name}`);
  return one;
}

function mergeBlocks(name: string, one: bigint, other: bigint): bigint {
  if (name === 'first_block') return one < other ? one : other;
  if (name === 'last_block') return one > other ? one : other;
  return one + other;
}

function parseIntegers({ date: _date, ...row }: TextRow): Integers {
  const integers = new Map<string, bigint>();
  for (const [name, text] of Object.entries(row)) {
    if (text === null) continue;
    if (!/^-?\d+$/.test(text)) throw new RangeError(`${name} is ${text.slice(0, 40)}, not an integer`);
    integers.set(name, BigInt(text));
  }
  return integers;
}

function toCounts(integers: Integers): Record<string, string> {
  return Object.fromEntries([...integers].map(([name, value]) => [name, String(value)]));
}

function toText(integer: bigint | undefined): string | undefined {
  return integer === undefined ? undefined : String(integer);
}

function toMean(sum: bigint | undefined, count: bigint | undefined): string | undefined {
  return sum === undefined || count === undefined || count === 0n ? undefined : toQuotient(sum, count);
}

function multiply(one: bigint | undefined, other: bigint): bigint | undefined {
  return one === undefined ? undefined : one * other;
}

function withoutMissing(values: MaybeValues): CollectedDay['values'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A number of blocks with the same compact target, which is the field `bits` of their headers. */
type BlocksWithBits = { readonly bits: string; readonly blocks: bigint };

/** Target of difficulty 1. */
const EASIEST_TARGET = 0xffffn << 208n;
/** Hashes per block at difficulty 1, by convention. */
const HASHES = 1n << 32n;
const SECONDS_PER_DAY = 86_400n;
const TERA = 10n ** 12n;

type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

/** Returns the mean difficulty of the blocks of a day. Precondition: at least one block. @throws RangeError */
export function meanDifficulty(groups: readonly BlocksWithBits[]): string {
  const { numerator, denominator } = sumOfDifficulties(groups);
  const blocks = groups.reduce((sum, group) => sum + group.blocks, 0n);
  return toQuotient(numerator, denominator * blocks);
}

/** Returns the mean hash rate of a day in TH/s, estimated from its blocks as 2^32 hashes per difficulty. @throws RangeError */
export function hashRate(groups: readonly BlocksWithBits[]): string {
  const { numerator, denominator } = sumOfDifficulties(groups);
  return toQuotient(numerator * HASHES, denominator * SECONDS_PER_DAY * TERA);
}

function sumOfDifficulties(groups: readonly BlocksWithBits[]): Fraction {
  return groups.reduce<Fraction>(
    ({ numerator, denominator }, { bits, blocks }) => {
      const target = toTarget(bits);
      return {
        numerator: numerator * target + blocks * EASIEST_TARGET * denominator,
        denominator: denominator * target,
      };
    },
    { numerator: 0n, denominator: 1n },
  );
}

/** Returns the target of `bits`: a byte with the number of bytes, then three bytes with the first ones, in hexadecimal. */
function toTarget(bits: string): bigint {
  if (!/^(0x)?[0-9a-f]{8}$/i.test(bits))
    throw new RangeError(`bits ${bits} are not four bytes in hexadecimal`);
  const value = BigInt(`0x${bits.slice(-8)}`);
  const mantissa = value & 0xffffffn;
  const shift = 8n * ((value >> 24n) - 3n);
  const target = shift < 0n ? mantissa >> -shift : mantissa << shift;
  if (target <= 0n || target > EASIEST_TARGET)
    throw new RangeError(`bits ${bits} are not a target of Bitcoin`);
  return target;
}
