import fc from 'fast-check';
import {
  computeRegimes,
  confidenceLevel,
  confidenceScore,
  missingSharesAt,
} from '../../../../generator/core/methodology/regime-series.js';
import { createRounding } from '../../../../generator/core/statistics/rounding.js';
import { currentMethodology } from '../../../../schemas/methodology.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';

const methodology = currentMethodology();
const settings = methodology.confidence;
const rounding = createRounding(methodology.rounding);

/** Numbers from 0 to 1, often a minimum or a value close to one. */
const share = (): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc
      .constantFrom(0, 0.7, 0.9, 1)
      .chain((x) => fc.constantFrom(x, Math.max(0, x - 1e-9), Math.min(1, x + 1e-9))),
  );

describe('the confidence level', () => {
  it.each([
    [1, 'high'],
    [0.9, 'high'],
    [0.899999, 'moderate'],
    [0.7, 'moderate'],
    [0.699999, 'low'],
    [0, 'low'],
  ])('of a score of %d is %s', (score, level) => {
    expect(confidenceLevel(score, settings)).toBe(level);
  });

  it('never falls when the score rises', () => {
    const ranks = ['low', 'moderate', 'high'];
    fc.assert(
      fc.property(share(), share(), (one, other) => {
        const rank = (score: number): number => ranks.indexOf(confidenceLevel(score, settings));
        expect(rank(Math.max(one, other))).toBeGreaterThanOrEqual(rank(Math.min(one, other)));
      }),
    );
  });
});

describe('the confidence score', () => {
  const features = { margin: 0.5, runDays: 7, speed: 1 };
  const none = { demand: 0, cost: 0, capacity: 0 };

  it('is the logistic function of margin, run and speed when no signal is missing', () => {
    const exact = 1 / (1 + Math.exp(-(0.29 + 5.83 * 0.5 + 0.53 * 0.5 - 0.84 * 1)));
    expect(confidenceScore({ ...features, missing: none }, settings, rounding)).toBeCloseTo(exact, 6);
  });

  it.each([
    ['all of demand', { ...none, demand: 1 }, 0.88],
    ['half of demand', { ...none, demand: 0.5 }, 0.94],
    ['all of cost', { ...none, cost: 1 }, 0.9],
    ['all of capacity', { ...none, capacity: 1 }, 0.95],
    ['all', { demand: 1, cost: 1, capacity: 1 }, 0.88 * 0.9 * 0.95],
  ])('is reduced when %s is missing', (_name, missing, factor) => {
    const complete = confidenceScore({ ...features, missing: none }, settings, rounding);
    const reduced = confidenceScore({ ...features, missing }, settings, rounding);
    expect(reduced / complete).toBeCloseTo(factor, 5);
  });
});

describe('the shares of missing signals', () => {
  it('are weighted within each dimension, and 0 for a dimension without signals', () => {
    const days = 300;
    const shares = (chain: 'ethereum' | 'arbitrum', missing: Parameters<typeof withoutMetrics>[1]): unknown =>
      missingSharesAt(
        days - 1,
        computeRegimes(withoutMetrics(randomSeries({ chain, seed: 3, days }), missing), methodology).signals,
      );
    expect(shares('ethereum', [])).toEqual({ demand: 0, cost: 0, capacity: 0 });
    expect(shares('ethereum', ['active_addresses', 'gas_used'])).toEqual({
      demand: 0.5,
      cost: 0,
      capacity: 1,
    });
    expect(shares('arbitrum', ['fee_median'])).toEqual({ demand: 0, cost: 0.5, capacity: 0 });
  });
});
