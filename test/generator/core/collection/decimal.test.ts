import fc from 'fast-check';
import { toHalf, toQuotient, toScaled } from '../../../../generator/core/collection/decimal.js';

const PLAIN = /^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/;
const integer = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
const divisor = integer.filter((value) => value !== 0n);

/** Returns the exact value of a decimal text as a fraction. */
function parse(text: string): { numerator: bigint; denominator: bigint } {
  const [whole = '', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

describe('a scaled integer', () => {
  it.each([
    [0n, -8, '0'],
    [1n, -8, '0.00000001'],
    [150_000_000n, -8, '1.5'],
    [-150_000_000n, -8, '-1.5'],
    [21_000n * 10n ** 18n + 1n, -18, '21000.000000000000000001'],
    [12n, 3, '12000'],
  ])('%s times 10^%s is %s', (value, exponent, text) => {
    expect(toScaled(value, exponent)).toBe(text);
  });

  it('has exactly its value, as plain text', () => {
    fc.assert(
      fc.property(integer, fc.integer({ min: -40, max: 40 }), (value, exponent) => {
        const text = toScaled(value, exponent);
        const { numerator, denominator } = parse(text);
        expect(text).toMatch(PLAIN);
        expect(numerator * 10n ** 40n).toBe(value * 10n ** BigInt(exponent + 40) * denominator);
      }),
    );
  });
});

describe('the half of an integer', () => {
  it('has exactly its value, whether the integer is even or odd', () => {
    expect(toHalf(7n)).toBe('3.5');
    expect(toHalf(-7n, -18)).toBe('-0.0000000000000000035');
    fc.assert(
      fc.property(integer, (value) => {
        const { numerator, denominator } = parse(toHalf(value));
        expect(2n * numerator).toBe(value * denominator);
      }),
    );
  });
});

describe('a quotient', () => {
  it.each([
    [1n, 3n, '0.33333333333333333333'],
    [2n, -3n, '-0.66666666666666666667'],
    [0n, -3n, '0'],
    [6n, 3n, '2'],
    [10n ** 30n, 7n, '142857142857142857140000000000'],
    [10n ** 21n - 1n, 10n, '100000000000000000000'], // 99999999999999999999.9 rounds up to another digit
    [10n ** 20n + 5n, 10n ** 20n, '1'], // 1.00000000000000000005 is a tie, and 1.0000000000000000000 is even
    [10n ** 20n + 15n, 10n ** 20n, '1.0000000000000000002'], // a tie again, rounded up to the even digit
    [10n ** 40n + 5n * 10n ** 20n + 1n, 10n ** 40n, '1.0000000000000000001'], // just above a tie
  ])('%s / %s is %s', (a, b, text) => {
    expect(toQuotient(a, b)).toBe(text);
  });

  it('is refused for a divisor of 0', () => {
    expect(() => toQuotient(1n, 0n)).toThrow(new RangeError('division by zero'));
  });

  it('has at most 20 digits, and is within half of the last one', () => {
    fc.assert(
      fc.property(integer, divisor, (a, b) => {
        const text = toQuotient(a, b);
        const { numerator, denominator } = parse(text);
        expect(text).toMatch(PLAIN);
        expect(text.replace(/^-?0?\.?0*|\.|0+$/g, '').length).toBeLessThanOrEqual(20);
        const error = absolute(numerator * b - a * denominator) * 2n * 10n ** 19n;
        expect(error <= absolute(a * denominator)).toBe(true); // half of 1 in the 20th digit
      }),
    );
  });

  it('is exact if 20 digits suffice', () => {
    const short = fc.bigInt({ min: -(10n ** 20n) + 1n, max: 10n ** 20n - 1n });
    fc.assert(
      fc.property(short, divisor, (value, b) => {
        expect(toQuotient(value * b, b)).toBe(String(value));
      }),
    );
  });
});
