import fc from 'fast-check';
import { followLevels } from '../../../../generator/core/methodology/regime-series.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';

const { methodology } = await readProductTexts();
const { enter, exit } = methodology.levels;
const zScore = (): fc.Arbitrary<number | null> =>
  fc.option(fc.double({ min: -8, max: 8, noNaN: true }), { nil: null, freq: 8 });

describe('followLevels', () => {
  it('uses no later value: earlier levels do not depend on it', () => {
    fc.assert(
      fc.property(fc.array(zScore()), fc.nat(50), (z, cut) => {
        const band = { enter, exit };
        expect(followLevels(z.slice(0, cut), band)).toEqual(followLevels(z, band).slice(0, cut));
      }),
    );
  });

  it.each([
    [
      [0.9, 1, 0.31, 0.29, 1],
      ['normal', 'high', 'high', 'normal', 'high'],
    ],
    [
      [-1, -0.3, -0.29, -0.9],
      ['low', 'low', 'normal', 'normal'],
    ],
    [
      [1.5, -1.5, 1.5],
      ['high', 'low', 'high'],
    ],
    [
      [1, null, 0.9],
      ['high', 'normal', 'normal'],
    ],
  ])('returns for %j the levels %j', (z, levels) => {
    expect(followLevels(z, { enter: 1, exit: 0.3 })).toEqual(levels);
  });
});
