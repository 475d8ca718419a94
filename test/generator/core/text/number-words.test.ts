import fc from 'fast-check';
import { numberWords, percentWords, pointWords } from '../../../../generator/core/text/number-words.js';

const SCALES: Readonly<Record<string, number>> = { million: 1e6, billion: 1e9, trillion: 1e12 };

/** Returns the number that a text states. */
function read(words: string): number {
  const [digits = '', scale = ''] = words.split(' ');
  return Number(digits.replaceAll(',', '')) * (SCALES[scale] ?? 1);
}

it.each([
  [0, '0'],
  [-0, '0'],
  [0.000_31, '0.00031'],
  [0.000_000_944, '0.00000094'],
  [0.1, '0.1'],
  [0.996, '1'],
  [1, '1'],
  [36.14, '36.1'],
  [-36.16, '-36.2'],
  [999.4, '999'],
  [999.6, '1,000'],
  [1_234.5, '1,235'],
  [470_664.878, '470,665'],
  [999_999.4, '999,999'],
  [999_999.6, '1 million'],
  [1_234_567, '1.23 million'],
  [12_345_678, '12.3 million'],
  [999_499_999, '999 million'],
  [999_500_000, '1 billion'],
  [7.2e12, '7.2 trillion'],
  [1.2e17, '120000 trillion'],
])('writes %d as %s', (x, words) => {
  expect(numberWords(x)).toBe(words);
});

it.each([
  [0.0858, '8.6 %'],
  [0.56, '56 %'],
  [1, '100 %'],
  [0.001, '0.1 %'],
  [-0.25, '-25 %'],
])('writes the share %d as %s', (share, words) => {
  expect(percentWords(share)).toBe(words);
});

it('is accurate to its significant digits and has no exponent', () => {
  const any = fc.tuple(
    fc.integer({ min: -12, max: 13 }),
    fc.double({ min: 1, max: 9.99, noNaN: true }),
    fc.boolean(),
  );
  fc.assert(
    fc.property(any, ([power, lead, isNegative]) => {
      const x = (isNegative ? -1 : 1) * lead * 10 ** power;
      const words = numberWords(x);
      expect(words).toMatch(/^-?\d[\d,]*(\.\d*[1-9])?( (million|billion|trillion))?$/);
      // two significant digits below 1, at least three from 1 on
      expect(Math.abs(read(words) / x - 1)).toBeLessThan(Math.abs(x) < 1 ? 0.051 : 0.0051);
    }),
    { numRuns: 2_000 },
  );
});

it('never states a larger number for a smaller one', () => {
  const positive = fc.double({ min: 1e-9, max: 1e15, noNaN: true });
  fc.assert(
    fc.property(positive, fc.double({ min: 1, max: 1.2, noNaN: true }), (x, times) => {
      expect(read(numberWords(x))).toBeLessThanOrEqual(read(numberWords(x * times)) * (1 + 1e-12));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  [1, '100'],
  [0.999, '99'],
  [0.994, '99'],
  [0.305, '30'],
  [0.29, '29'],
  [0.8, '80'],
  [0.799999999, '79'],
  [0.896, '89'],
  [0, '0'],
])('writes the share %d as %s of 100 points', (share, points) => expect(pointWords(share)).toBe(points));

it('shows the points of a minimum exactly when the share has reached it', () => {
  const share = fc.integer({ min: 0, max: 1e9 }).map((n) => n / 1e9);
  const minimum = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(share, minimum, (x, points) => {
      expect(Number(pointWords(x)) >= points).toBe(x >= points / 100);
      expect(pointWords(points / 100)).toBe(String(points));
    }),
  );
});

it.each([
  [0.997, '99.7 %'],
  [-0.997, '-99.7 %'],
  [0.994, '99 %'],
  [0.9996, '99.9 %'],
  [0.999999, '99.9 %'],
  [1, '100 %'],
])('never rounds a share below 1 to 100 %: %d is %s', (share, words) =>
  expect(percentWords(share)).toBe(words),
);
