import fc from 'fast-check';
import { confidenceLevel, limitedLevel } from '../../../../generator/core/methodology/confidence.js';
import { currentMethodology } from '../../../../schemas/methodology.js';

const settings = currentMethodology().confidence;
/** Minimums by level. The values are repeated here, so that wrong ones in the product are found. */
const MINIMUMS = { high: { score: 0.9, quality: 0.8 }, moderate: { score: 0.7, quality: 0.6 } } as const;
const RANKS = ['low', 'moderate', 'high'] as const;

/** Numbers from 0 to 1, often a minimum or a value close to one. */
const share = (): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, 0.6, 0.7, 0.8, 0.9, 1).chain((x) => fc.constantFrom(x, x - 1e-9, x + 1e-9)),
  );

describe('the confidence level', () => {
  it('is the highest one whose minimums of score and data quality are both met', () => {
    fc.assert(
      fc.property(share(), share(), (score, quality) => {
        const meets = (level: keyof typeof MINIMUMS): boolean =>
          score >= MINIMUMS[level].score && quality >= MINIMUMS[level].quality;
        const expected = meets('high') ? 'high' : meets('moderate') ? 'moderate' : 'low';
        expect(confidenceLevel(score, quality, settings)).toBe(expected);
      }),
    );
  });

  it('never exceeds what data quality allows, however high the score is', () => {
    fc.assert(
      fc.property(share(), share(), (score, quality) => {
        const limit = limitedLevel('steady', quality, settings) ?? 'high';
        const rank = RANKS.indexOf(confidenceLevel(score, quality, settings));
        expect(rank).toBeLessThanOrEqual(RANKS.indexOf(limit));
        expect(confidenceLevel(1, quality, settings)).toBe(limit);
      }),
    );
  });

  it('never falls when the score or the data quality rises', () => {
    fc.assert(
      fc.property(share(), share(), share(), share(), (score, quality, more, better) => {
        const rank = (x: number, y: number): number => RANKS.indexOf(confidenceLevel(x, y, settings));
        const higher = rank(Math.max(score, more), Math.max(quality, better));
        expect(higher).toBeGreaterThanOrEqual(rank(score, quality));
      }),
    );
  });

  it.each([
    [1, null],
    [0.8, null],
    [0.799999999, 'moderate'],
    [0.6, 'moderate'],
    [0.599999999, 'low'],
  ])('has with a data quality of %d the limit %s', (quality, limit) => {
    expect(limitedLevel('steady', quality, settings)).toBe(limit);
  });

  it('has no limit to report without a label', () => {
    expect(limitedLevel('indeterminate', 0.1, settings)).toBeNull();
  });
});
