import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import methodology from '../../schemas/methodology/v1.json' with { type: 'json' };
import {
  amountWords,
  bytesWords,
  changeSizeWords,
  changeWords,
  countWords,
  numberWords,
  priceWords,
  ratioWords,
  scoreChangeWords,
  scoreWords,
  secondsWords,
  shareWords,
  shownShare,
  shownZ,
  zWords,
} from '../../schemas/words.js';

/** The numbers that others are compared with. */
const BOUNDARIES = { z: [0.3, 1], share: [0.5, 0.7, 0.9, 1] };
const SCALES: Readonly<Record<string, number>> = {
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  '%': 0.01,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
};
const NUMBER = /^[-+]?\d[\d,]*(\.\d+)?( (million|billion|trillion|%|k?B|[MGTP]B|s))?$/;

/** Returns the number that a text states. */
function read(words: string): number {
  expect(words).toMatch(NUMBER);
  const [digits = '', scale = ''] = words.split(' ');
  return Number(digits.replaceAll(',', '')) * (SCALES[scale] ?? 1);
}

/** Numbers from 10^`min` to 10^(`max` + 1), as many of each size, of both signs or positive. */
function sizes(min: number, max: number, signs: readonly number[] = [1]): fc.Arbitrary<number> {
  const lead = fc.double({ min: 1, max: 9.99, noNaN: true });
  return fc
    .tuple(fc.integer({ min, max }), lead, fc.constantFrom(...signs))
    .map(([power, x, sign]) => sign * x * 10 ** power);
}

const form = (toWords: (x: number) => string): ((x: number, words: string) => void) => {
  return (x, words) => expect(toWords(x)).toBe(words);
};

describe('a quantity', () => {
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
  ])('of %d is %s', form(numberWords));

  it.each([
    [2.3e-6, 'ETH', '0.0000023 ETH'],
    [12.345, 'BTC', '12.3 BTC'],
    [0.000_31, 'ETH per transaction', '0.00031 ETH'],
    [36.14, 'gwei', '36.1 gwei'],
    [470_664.9, 'transactions', '470,665'],
    [165_012_345, 'bytes', '165 MB'],
  ])('of %d %s is %s', (value, unit, words) => expect(amountWords(value, unit)).toBe(words));

  it('is accurate to its significant digits and has no exponent', () => {
    fc.assert(
      fc.property(sizes(-12, 13, [1, -1]), (x) => {
        expect(numberWords(x)).toMatch(/^-?\d[\d,]*(\.\d*[1-9])?( (million|billion|trillion))?$/);
        // two significant digits below 1, at least three from 1 on
        expect(Math.abs(read(numberWords(x)) / x - 1)).toBeLessThan(Math.abs(x) < 1 ? 0.051 : 0.0051);
      }),
      { numRuns: 500 },
    );
  });

  it('is never larger than that of a larger number', () => {
    const positive = fc.double({ min: 1e-9, max: 1e15, noNaN: true });
    fc.assert(
      fc.property(positive, fc.double({ min: 1, max: 1.2, noNaN: true }), (x, times) => {
        expect(read(numberWords(x))).toBeLessThanOrEqual(read(numberWords(x * times)) * (1 + 1e-12));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a z', () => {
  it.each([
    [0.728_451, '0.73'],
    [4.165, '4.17'],
    [0.999_999, '0.999999'],
    [0.996, '0.996'],
    [1.996, '2.00'],
    [0.296, '0.296'],
    [1, '1.00'],
    [-1.5, '-1.50'],
    [-0.009, '-0.01'],
    [-0.004, '0.00'],
    [0.29, '0.29'],
  ])('of %d is %s', form(zWords));

  it('is rounded half away from zero to two decimals, and appears to have reached a boundary only if it has', () => {
    const z = fc.integer({ min: -9e8, max: 9e8 }).map((n) => n / 1e8);
    fc.assert(
      fc.property(z, (x) => {
        const words = zWords(x);
        expect(words).toMatch(/^-?\d+\.\d\d+$/);
        const places = words.split('.')[1]?.length ?? 0;
        expect(Number(words)).toBe(
          new Decimal(x).toDecimalPlaces(places, Decimal.ROUND_HALF_UP).toNumber() + 0,
        ); // + 0: no negative zero
        for (const boundary of BOUNDARIES.z)
          expect(Math.abs(read(words)) >= boundary).toBe(Math.abs(x) >= boundary);
        if (places > 2) expect(BOUNDARIES.z).toContain(Math.abs(Number(x.toFixed(places - 1))));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a score', () => {
  it.each([
    [57.42, '57.4'],
    [5.04, '5.04'],
    [0.36, '0.36'],
    [50, '50'],
    [100, '100'],
  ])('of %d is %s', form(scoreWords));

  it('has a change that is the difference of the shown scores', () => {
    const score = fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100);
    fc.assert(
      fc.property(score, score, (from, to) => {
        const change = scoreChangeWords(from, to);
        expect(change).toMatch(/^[-+]/);
        expect(read(change)).toBeCloseTo(read(scoreWords(to)) - read(scoreWords(from)), 9);
        expect(Math.abs(read(scoreWords(from)) - from)).toBeLessThanOrEqual(0.050_001);
      }),
    );
  });
});

describe('a share', () => {
  it.each([
    [1, '100 %'],
    [0.999_999_999_999_9, '99.99999999999 %'],
    [0.9996, '99.96 %'],
    [0.8996, '89.96 %'],
    [0.9004, '90 %'],
    [0.995, '99.5 %'],
    [0.823_456, '82.3 %'],
    [0.823_5, '82.4 %'],
    [0.285_25, '28.5 %'],
    [0.8, '80 %'],
    [0.799_999_999, '80 %'],
    [0.29, '29 %'],
    [0.0574, '5.74 %'],
    [1e-9, '0.0000001 %'],
    [0, '0 %'],
    [1.234, '123 %'],
  ])('of %d is %s', form(shareWords));

  it('is rounded half away from zero to three digits, is 100 % only for all, and 0 % only for none', () => {
    fc.assert(
      fc.property(fc.oneof(sizes(-12, -2), fc.double({ min: 1e-12, max: 1, noNaN: true })), (x) => {
        const percent = shareWords(x).replace(' %', '');
        const rounded = (digits: number) =>
          new Decimal(x).times(100).toSignificantDigits(digits, Decimal.ROUND_HALF_UP).toFixed();
        const digits = percent.replace(/^0\.0*|\./, '').length;
        expect(percent).toBe(rounded(Math.max(3, digits)));
        if (digits > 3) expect(BOUNDARIES.share).toContain(Number(rounded(3)) / 100);
        expect(percent === '100').toBe(x === 1);
        for (const boundary of BOUNDARIES.share)
          expect(Number(percent) >= boundary * 100).toBe(x >= boundary);
      }),
      { numRuns: 1000 },
    );
  });

  it('and a z read the same again from the number that they show', () => {
    const share = fc.oneof(
      sizes(-9, -2),
      fc.integer({ min: 0, max: 1e6 }).map((n) => n / 1e6),
    );
    fc.assert(
      fc.property(share, fc.integer({ min: -9e9, max: 9e9 }), (x, n) => {
        expect(shareWords(shownShare(x))).toBe(shareWords(x));
        expect(zWords(shownZ(n / 1e9))).toBe(zWords(n / 1e9));
      }),
      { numRuns: 1000 },
    );
  });

  it('has the boundaries of the methodology', () => {
    const { levels, data_quality: quality, confidence } = methodology;
    expect(BOUNDARIES.z).toStrictEqual([levels.exit, levels.enter]);
    const scores = confidence.levels
      .map(({ min_score: minimum }) => minimum)
      .filter((minimum) => minimum > 0);
    expect(BOUNDARIES.share).toStrictEqual([...new Set([quality.minimum, ...scores, 1])].sort());
  });
});

describe('a change', () => {
  it.each([
    [0.0858, '+8.6 %'],
    [0.032, '+3.2 %'],
    [-0.56, '-56 %'],
    [0, '0 %'],
    [0.001, '+0.1 %'],
    [-0.997, '-99.7 %'],
    [-0.994, '-99 %'],
    [-0.9996, '-99.96 %'],
    [-0.999_999, '-99.9999 %'],
    [0.0125, '+1.3 %'],
    [-1, '-100 %'],
    [11.5, '+1,150 %'],
  ])('of %d is %s', form(changeWords));

  it('is accurate to two digits, and has the same digits in a sentence that states its direction', () => {
    fc.assert(
      fc.property(sizes(-9, 3, [1, -1]), (x) => {
        expect(Math.abs(read(changeWords(x)) / x - 1)).toBeLessThan(0.051);
        expect(changeWords(x)).toBe(`${x < 0 ? '-' : '+'}${changeSizeWords(x)}`);
        expect(changeSizeWords(x) === '100 %' && Math.abs(x) < 1).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  [1, '1'],
  [1.000_012_3, '1.00001'],
  [0.495_005, '0.495005'],
  [2.5e-9, '0.0000000025'],
])('a ratio of %d is %s', form(ratioWords));

it.each([
  [0, '0'],
  [999, '999'],
  [6_437, '6,437'],
  [1_234_567, '1,234,567'],
])('a count of %d is %s', form(countWords));

it.each([
  [0, '0 B'],
  [18, '18 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [12_345_678, '12.3 MB'],
  [3.2e9, '3.2 GB'],
])('%d bytes are %s', form(bytesWords));

it('bytes are accurate to three digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      expect(Math.abs(read(bytesWords(bytes)) / bytes - 1)).toBeLessThan(0.0051);
      expect(bytesWords(bytes)).toMatch(/^\d{1,3}(\.\d{1,2})? /);
    }),
  );
});

it.each([
  [0.004, '0.004 s'],
  [12.345, '12.3 s'],
  [4_920, '4,920 s'],
])('a duration of %d seconds is %s', form(secondsWords));

it.each([
  [4_900, '49'],
  [4_950, '49.50'],
  [4_905, '49.05'],
  [149_900, '1,499'],
])('a price of %d cents is %s', form(priceWords));
