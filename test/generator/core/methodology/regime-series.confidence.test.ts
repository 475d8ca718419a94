import fc from 'fast-check';
import { confidenceLevel, deniedLevel } from '../../../../generator/core/methodology/regime-series.js';
import { currentMethodology } from '../../../../schemas/methodology.js';

const settings = currentMethodology().confidence;
/** Minimums by level. The values are repeated here, so that wrong ones in the product are found. */
const MINIMUMS = { high: { score: 0.9, quality: 0.8 }, moderate: { score: 0.7, quality: 0.6 } } as const;
const RANKS = ['low', 'moderate', 'high'] as const;

/** Numbers from 0 to 1, often a minimum or a value close to one. */
const share = (): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc
      .constantFrom(0, 0.6, 0.7, 0.8, 0.9, 1)
      .chain((x) => fc.constantFrom(x, Math.max(0, x - 1e-9), Math.min(1, x + 1e-9))),
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
        const limit = quality >= 0.8 ? 'high' : quality >= 0.6 ? 'moderate' : 'low';
        const rank = RANKS.indexOf(confidenceLevel(score, quality, settings));
        expect(rank).toBeLessThanOrEqual(RANKS.indexOf(limit));
        expect(confidenceLevel(1, quality, settings)).toBe(limit);
      }),
    );
  });

  it('is denied a higher one exactly when the score alone would give it', () => {
    fc.assert(
      fc.property(share(), share(), (score, quality) => {
        const rank = RANKS.indexOf(confidenceLevel(score, quality, settings));
        const isLimited = RANKS.indexOf(confidenceLevel(score, 1, settings)) > rank;
        expect(deniedLevel(score, quality, settings)?.level).toBe(isLimited ? RANKS[rank + 1] : undefined);
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
    [1, 1, undefined],
    [1, 0.8, undefined],
    [1, 0.799999999, 'high'],
    [0.9, 0.6, 'high'],
    [0.899999, 0.6, undefined],
    [0.9, 0.599999999, 'moderate'],
    [0.699999, 0.5, undefined],
    [0, 0.1, undefined],
  ])('with a score of %d and a data quality of %d is denied the level %s', (score, quality, level) => {
    expect(deniedLevel(score, quality, settings)?.level).toBe(level);
  });
});
