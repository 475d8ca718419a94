import type { DimensionScore } from '../../../../schemas/types.generated.js';
import { currentMethodology } from '../../../../schemas/methodology.js';
import { dimensionScore } from '../../../../generator/core/methodology/drivers.js';
import { createRounding } from '../../../../generator/core/statistics/rounding.js';

const { scorecard, rounding } = currentMethodology();
const LAG = scorecard.trend_lag_days;
const THRESHOLD = scorecard.trend_threshold;
const STEP = 10 ** -rounding.combined_decimals;

/** Scores the last date of a dimension whose z was `before` a lag earlier and is `now`. */
function scoreOf(before: number | null, now: number | null): DimensionScore {
  const z = [before, ...new Array<number>(LAG - 1).fill(0), now];
  const levels = z.map(() => 'normal' as const);
  return dimensionScore(z, levels, LAG, scorecard, createRounding(rounding));
}

describe('the trend of a dimension', () => {
  it.each([
    ['rising', 'by exactly the threshold', THRESHOLD],
    ['flat', 'by a little less than the threshold', THRESHOLD - STEP],
    ['flat', 'not at all', 0],
    ['flat', 'down by a little less than the threshold', STEP - THRESHOLD],
    ['falling', 'down by exactly the threshold', -THRESHOLD],
  ])('is %s when z moved %s', (trend, _name, change) => {
    expect(scoreOf(0, change).trend).toBe(trend);
    expect(scoreOf(1, 1 + change).trend).toBe(trend);
  });

  it('is missing when z was missing a lag earlier', () => {
    expect(scoreOf(null, 1)).toMatchObject({ z: 1, level: 'normal', trend: null });
  });
});

describe('the score of a dimension', () => {
  it('is 50 for a typical date, higher above it and lower below it', () => {
    expect(scoreOf(0, 0).score).toBe(50);
    expect(scoreOf(0, 1).score).toBeGreaterThan(80);
    expect(scoreOf(0, -1).score).toBeLessThan(20);
  });

  it('is missing, like everything else, when z is missing', () => {
    expect(scoreOf(0, null)).toEqual({ score: null, z: null, level: null, trend: null });
  });
});
