import { hashRate, meanDifficulty } from '../../../../generator/core/collection/query-day.js';

const EASIEST = '1d00ffff';

describe('the difficulty of a day', () => {
  it('is 1 for the easiest target of the protocol', () => {
    expect(meanDifficulty([{ bits: EASIEST, blocks: 144n }])).toBe('1');
  });

  it('is that of its target, to 20 digits', () => {
    // Block 100,800: difficulty 16307.420938523983 (Bitcoin's wiki, "Difficulty": bits 0x1b0404cb).
    const difficulty = meanDifficulty([{ bits: '0x1B0404CB', blocks: 3n }]);
    expect(difficulty).toMatch(/^\d{5}\.\d{15}$/);
    expect(Number(difficulty)).toBe(16307.420938523983);
  });

  it('is the mean over its blocks, if it changed within the day', () => {
    const half = '1d007fff'; // a little more than 2
    const alone = Number(meanDifficulty([{ bits: half, blocks: 1n }]));
    const mean = meanDifficulty([
      { bits: EASIEST, blocks: 3n },
      { bits: half, blocks: 1n },
    ]);
    expect(Number(mean)).toBeCloseTo((3 + alone) / 4, 14);
  });

  it.each(['', '1d00ff', 'zz00ffff', '1d000000', '1e00ffff', '20ffffff'])(
    'is refused for bits %j',
    (bits) => {
      expect(() => meanDifficulty([{ bits, blocks: 1n }])).toThrow(RangeError);
    },
  );
});

describe('the hash rate of a day', () => {
  it('is 2^32 hashes per difficulty and block, in TH/s', () => {
    const day = [{ bits: '1712123b', blocks: 141n }];
    const expected = (Number(meanDifficulty(day)) * 2 ** 32 * 141) / 86_400 / 1e12;
    expect(Number(hashRate(day)) / expected).toBeCloseTo(1, 14);
  });

  it('is the sum over blocks of different difficulty', () => {
    const rate = Number(
      hashRate([
        { bits: EASIEST, blocks: 100n },
        { bits: '1b0404cb', blocks: 44n },
      ]),
    );
    const expected = ((100 + 44 * 16307.420938523983) * 2 ** 32) / 86_400 / 1e12;
    expect(rate / expected).toBeCloseTo(1, 14);
  });
});
