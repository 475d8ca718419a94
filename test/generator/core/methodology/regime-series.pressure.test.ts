import fc from 'fast-check';
import type { InputSeries } from '../../../../generator/core/input/input-series.js';
import { driversAt } from '../../../../generator/core/methodology/drivers.js';
import { computeRegimes, type RegimeSeries } from '../../../../generator/core/methodology/regime-series.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { currentMethodology } from '../../../../schemas/methodology.js';
import type { Chain, MetricName } from '../../../../schemas/types.generated.js';
import { randomSeries } from '../../../support/release/random-series.js';

const methodology = currentMethodology();
const DAYS = 900;

/** Returns the series with a metric multiplied by a factor from a date index on. */
function multiplied(series: InputSeries, metric: MetricName, from: number, factor: number): InputSeries {
  const column = (series.metrics[metric] ?? []).map((value, t) =>
    value === null || t < from ? value : value * factor,
  );
  return { ...series, metrics: { ...series.metrics, [metric]: column } };
}

const drawn = (): fc.Arbitrary<InputSeries> =>
  fc
    .record({
      chain: fc.constantFrom(...CHAIN_IDS),
      seed: fc.nat(1_000_000),
      firstDate: fc.constantFrom('2020-06-01', '2022-01-01'),
      missingCells: fc.constantFrom(0, 0.05, 0.3),
      limitAt: fc.integer({ min: 400, max: DAYS }),
      factor: fc.constantFrom(0.5, 1, 2, 8),
    })
    .map(({ limitAt, factor, ...options }) => {
      const series = randomSeries({ ...options, days: DAYS });
      return multiplied(series, 'gas_limit_mean', limitAt, factor);
    });

/** Returns the dates whose level of pressure is one side of 0 and whose cost is on the other. */
function contradictions({ dates, axes, levels, dimensions }: RegimeSeries): string[] {
  return dates.filter((_, t) => {
    const cost = dimensions.cost?.[t] ?? null;
    if ((axes.pressure[t] ?? null) === null || cost === null) return false;
    const level = levels.pressure[t];
    return (level === 'low' && cost >= 0) || (level === 'high' && cost <= 0);
  });
}

describe('the level of pressure', () => {
  it('is low only if cost is below normal, and high only if cost is above normal', () => {
    fc.assert(
      fc.property(drawn(), (series) => {
        expect(contradictions(computeRegimes(series, methodology))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it.each<[Chain, string, MetricName, number]>([
    ['ethereum', 'its gas limit doubles', 'gas_limit_mean', 2],
    ['ethereum', 'its gas limit halves', 'gas_limit_mean', 0.5],
    ['base', 'its gas limit doubles', 'gas_limit_mean', 2],
    ['bitcoin', 'its blocks hold half the weight', 'block_weight', 0.5],
  ])('of %s moves against its fees on no date if %s', (chain, _what, metric, factor) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const series = multiplied(randomSeries({ chain, seed, days: DAYS }), metric, 500, factor);
      expect(contradictions(computeRegimes(series, methodology))).toEqual([]);
    }
  });
});

describe('the contributions of the drivers', () => {
  it('add up to the axes', () => {
    fc.assert(
      fc.property(drawn(), (series) => {
        const regimes = computeRegimes(series, methodology);
        const { axes, dates, rounding } = regimes;
        for (let t = 0; t < dates.length; t += 30) {
          const drivers = driversAt(t, regimes, methodology, rounding);
          const sumOf = (isOf: (dimension: string) => boolean): number =>
            drivers
              .filter(({ dimension }) => isOf(dimension))
              .reduce((sum, each) => sum + each.contribution, 0);
          const demand = axes.demand[t] ?? null;
          const pressure = axes.pressure[t] ?? null;
          if (demand !== null) expect(sumOf((each) => each === 'demand')).toBeCloseTo(demand, 8);
          if (pressure !== null) expect(sumOf((each) => each !== 'demand')).toBeCloseTo(pressure, 8);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('the capacity signal of ethereum', () => {
  it('is the use of the gas target: twice the use of the limit from the London upgrade on', () => {
    const series = randomSeries({ chain: 'ethereum', seed: 1, days: 10, firstDate: '2021-08-01' });
    const { signals } = computeRegimes(series, methodology);
    const value = signals.find(({ definition }) => definition.signal === 'target_use')?.value ?? [];
    const { gas_used: used, gas_limit_mean: limit, block_count: blocks } = series.metrics;
    const shares = series.dates.map((date, t) => {
      const ofLimit = (used?.[t] ?? NaN) / ((limit?.[t] ?? NaN) * (blocks?.[t] ?? NaN));
      return [date, (value[t] ?? NaN) / ofLimit] as const;
    });
    expect(shares.map(([date, factor]) => [date, Math.round(factor * 1e9) / 1e9])).toEqual(
      series.dates.map((date) => [date, date < '2021-08-05' ? 1 : 2]),
    );
  });
});
