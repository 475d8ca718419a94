import { toScaled } from './decimal.js';

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Longest number that is read, and largest exponent: more than any double needs. */
const MAX_LENGTH = 800;
const MAX_EXPONENT = 400;

/**
 * Returns a number as canonical decimal text, with all its digits: no exponent, no needless zero, no `-0`. Two texts of
 * the same number give the same result. Returns `undefined` for text that is not a number, or too long to be a real one.
 */
export function toDecimalText(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === '' || text.length > MAX_LENGTH) return undefined;
  if (Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  return toScaled(BigInt(sign + whole + fraction), Number(exponent) - fraction.length);
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
