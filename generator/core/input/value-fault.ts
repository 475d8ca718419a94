import { isCounted, METRICS } from '../../../schemas/catalog.js';
import type { MetricName } from '../../../schemas/types.generated.js';

const NUMBER = /^(-?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Longest number that is read, without zeros before it, largest exponent, and most digits after the point: more than any double needs. */
const MAX_LENGTH = 800;
const MAX_EXPONENT = 400;
const MAX_FRACTION = 400;

/** An integer times a power of ten. */
export type Decimal = { readonly digits: bigint; readonly exponent: number };

/** Returns the exact number of a text; `undefined` for text that is not a number, or too long to be a real one. */
export function parseDecimal(text: string): Decimal | undefined {
  const short = text.replace(/^(-?)0+(?=\d)/, '$1');
  const [match, sign = '', whole = '', fraction = '', exponent = '0'] =
    short.length > MAX_LENGTH ? [] : (NUMBER.exec(short) ?? []);
  if (match === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  return { digits: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Returns whether a decimal is a whole number, such as 301000.0 or 3.01e5. */
function isWholeNumber({ digits, exponent }: Decimal): boolean {
  return digits === 0n || exponent >= 0 || digits % 10n ** BigInt(-exponent) === 0n;
}

/** Returns whether a decimal is above a whole number, exactly. */
function isAbove({ digits, exponent }: Decimal, whole: number): boolean {
  return exponent >= 0
    ? digits * 10n ** BigInt(exponent) > BigInt(whole)
    : digits > BigInt(whole) * 10n ** BigInt(-exponent);
}

const LARGEST = 2 ** 53;
const SMALLEST = 1e-30;

/** Why a text is not a value of a metric. */
export type ValueFault =
  'not finite' | 'not a number' | 'negative' | 'too small' | 'too large' | 'too long' | 'not whole';

/** Judges the text of a value in the catalog's unit, for every source and for `publish`. `undefined`: nothing is wrong. */
export function judgeValue(metric: MetricName, text: string): ValueFault | undefined {
  if (!NUMBER.test(text)) return /^[+-]?(inf(inity)?|nan)$/i.test(text) ? 'not finite' : 'not a number';
  const isZero = !/[1-9]/.test(text.split(/e/i)[0] ?? ''); // a number that is not 0 may underflow to 0
  if (text.startsWith('-') && !isZero) return 'negative';
  const value = Number(text);
  if (!Number.isFinite(value)) return 'not finite';
  if (value < SMALLEST && !isZero) return 'too small';
  return value > LARGEST ? 'too large' : judgeDigits(metric, text);
}

/** Judges the digits of a text. Precondition: it is a number that is not above 2^53 as a double. */
function judgeDigits(metric: MetricName, text: string): ValueFault | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined || decimal.exponent < -MAX_FRACTION) return 'too long';
  if (Number(text) === LARGEST && isAbove(decimal, LARGEST)) return 'too large';
  return isCounted(metric) && !isWholeNumber(decimal) ? 'not whole' : undefined;
}

/** A cell of a column of a metric. `converted` is there if the column has another `unit` than the catalog. */
export type ValueCell = {
  readonly column: string;
  readonly metric: MetricName;
  readonly text: string;
  /** The number in the catalog's unit, which is judged. */
  readonly converted?: { readonly text: string; readonly unit: string };
};

/** Returns what is wrong with a cell, and the remedy. */
export function describeValueFault(
  fault: ValueFault,
  { column, metric, text, converted }: ValueCell,
): { readonly message: string; readonly remedy: string } {
  const { unit } = METRICS[metric];
  const shown = converted === undefined ? '' : ` (${shorten(converted.text)} ${unit})`;
  const found = (is: string, remedy: string): { message: string; remedy: string } => ({
    message: `${column} "${shorten(text)}"${shown} is ${is}`,
    remedy,
  });
  const empty = 'or leave the cell empty when the value is missing';
  const check =
    converted === undefined
      ? 'check the unit of the column'
      : `check that the column is in ${converted.unit}`;
  switch (fault) {
    case 'not finite':
      return found(fault, `write a finite number, ${empty}`);
    case 'not a number':
      return found(fault, `write a decimal such as 12.5 or 9.44e-07, ${empty}`);
    case 'negative':
      return found(fault, `metrics are never negative: correct it, ${empty}`);
    case 'too small':
      return found('below 1e-30, too small for ratios', check);
    case 'too large':
      return found('above 2^53 and cannot be read exactly', check);
    case 'too long':
      return found('too long to be read exactly', `write at most 400 digits after the point, ${empty}`);
    case 'not whole':
      return found(
        'not a whole number',
        converted === undefined ? `write a whole number of ${unit}, ${empty}` : `${check}, ${empty}`,
      );
  }
}

/** Returns the first 40 characters of a text, in printable ASCII. */
export function shorten(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 40 ? `${printable.slice(0, 40)}...` : printable;
}
