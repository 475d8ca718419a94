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
