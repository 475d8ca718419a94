import { createScanner } from 'jsonc-parser';
import { parseDecimal } from '../input/value-fault.js';

/** Exact numbers as decimal text: no exponent, no sign of zero, no zeros at the end of a fraction. */

/** Digits of a quotient, more than a double can tell apart. */
const SIGNIFICANT_DIGITS = 20;

/** Returns `integer` times 10 to the power of `exponent`. */
export function toScaled(integer: bigint, exponent: number): string {
  if (exponent >= 0) return String(integer * power(exponent));
  const sign = integer < 0n ? '-' : '';
  const digits = String(integer < 0n ? -integer : integer).padStart(1 - exponent, '0');
  const fraction = digits.slice(exponent).replace(/0+$/, '');
  return `${sign}${digits.slice(0, exponent)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns half of `integer` times 10 to the power of `exponent`. */
export function toHalf(integer: bigint, exponent = 0): string {
  return toScaled(integer * 5n, exponent - 1);
}

/**
 * Returns `numerator / denominator`, rounded half to even to 20 significant digits.
 * @throws RangeError if `denominator` is 0.
 */
export function toQuotient(numerator: bigint, denominator: bigint): string {
  if (denominator === 0n) throw new RangeError('division by zero');
  const a = numerator < 0n ? -numerator : numerator;
  const b = denominator < 0n ? -denominator : denominator;
  const exponent = quotientExponent(a, b);
  const rounded = exponent < 0 ? divide(a * power(-exponent), b) : divide(a, b * power(exponent));
  return toScaled(numerator < 0n === denominator < 0n ? rounded : -rounded, exponent);
}

/** Returns the power of ten of the last digit that is kept of `a / b`. */
function quotientExponent(a: bigint, b: bigint): number {
  const difference = String(a).length - String(b).length;
  const isBelow = difference < 0 ? a * power(-difference) < b : a < b * power(difference);
  return difference - (isBelow ? 1 : 0) - (SIGNIFICANT_DIGITS - 1);
}

/** Divides positive integers and rounds half to even. */
function divide(a: bigint, b: bigint): bigint {
  const floor = a / b;
  const twice = 2n * (a % b);
  const isUp = twice > b || (twice === b && floor % 2n === 1n);
  return isUp ? floor + 1n : floor;
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/**
 * Returns a number times a power of ten as canonical decimal text, with all its digits: no exponent, no needless zero, no
 * `-0`. Two texts of the same number give the same result. Returns `undefined` for text that is not a number, or too long
 * to be a real one.
 */
export function toDecimalText(text: string, shift = 0): string | undefined {
  const decimal = parseDecimal(text);
  return decimal && toScaled(decimal.digits, decimal.exponent + shift);
}

/** Returns `text` times `factor`, rounded to an integer, halves away from zero. Precondition: canonical decimal text. */
export function multiplyToInteger(text: string, factor: bigint): string {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const scale = 10n ** BigInt(fraction.length);
  const rounded = (2n * BigInt(whole + fraction) * factor + scale) / (2n * scale);
  return text.startsWith('-') && rounded > 0n ? `-${rounded}` : String(rounded);
}

/** Returns whether canonical decimal text is a whole number. */
export function isWhole(text: string): boolean {
  return !text.includes('.');
}

/** A number of a JSON text, with its digits as they are in the text. */
type JsonNumber = { readonly number: string };

// jsonc-parser declares its token kinds as a const enum, which modules that are compiled one by one cannot import
const OPEN_BRACE = 1;
const OPEN_BRACKET = 3;
const NUMERIC_LITERAL = 11;
const END_OF_FILE = 17;

/**
 * Most numbers, arrays and objects of a text. Each takes up to 200 bytes of memory, even if it has two bytes of text. Rows
 * of a name, a date and a number reach it at 40 MB.
 */
const MAX_VALUES = 1_000_000;

/**
 * Parses JSON and keeps the digits of its numbers: each becomes a `JsonNumber`.
 * @throws SyntaxError for text that is not JSON, such as a bare NaN, and for more than a million values.
 */
export function parseJsonDigits(text: string): unknown {
  const wrapped = wrapNumbers(text);
  JSON.parse(text); // the scanner accepts more than JSON
  return JSON.parse(wrapped);
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'string';
}

function wrapNumbers(text: string): string {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let copied = 0;
  let values = 0;
  for (let kind: number = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (kind !== NUMERIC_LITERAL && kind !== OPEN_BRACE && kind !== OPEN_BRACKET) continue;
    values += 1;
    if (values > MAX_VALUES) throw new SyntaxError('JSON of more than 1,000,000 numbers, arrays and objects');
    if (kind !== NUMERIC_LITERAL) continue;
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    parts.push(text.slice(copied, start), '{"number":"', text.slice(start, end), '"}');
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

const FIRST_CAPACITY = 1024;
const MAX_COMPACT = 2n ** 64n - 1n;

/** The fees of a day, in the smallest unit. They take 8 bytes each, or more above 2^64 (18 ETH). */
type FeeList = {
  readonly add: (fee: bigint) => void;
  readonly sum: () => bigint;
  /** Returns twice the median, which is an integer for an even number of fees too; `undefined` of no fee. */
  readonly twiceMedian: () => bigint | undefined;
};

/** Creates an empty list of fees of at least 0. */
export function createFeeList(): FeeList {
  let compact = new BigUint64Array(FIRST_CAPACITY);
  let size = 0;
  let total = 0n;
  const large: bigint[] = [];
  return {
    add(fee) {
      total += fee;
      if (fee > MAX_COMPACT) return void large.push(fee);
      if (size === compact.length) {
        const grown = new BigUint64Array(2 * size);
        grown.set(compact);
        compact = grown;
      }
      compact[size] = fee;
      size += 1;
    },
    sum: () => total,
    twiceMedian() {
      const sorted = compact.subarray(0, size).sort();
      large.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const count = size + large.length;
      const at = (rank: number): bigint | undefined => (rank < size ? sorted[rank] : large[rank - size]);
      const lower = at(Math.ceil(count / 2) - 1);
      const upper = at(Math.floor(count / 2));
      return lower === undefined || upper === undefined ? undefined : lower + upper;
    },
  };
}
