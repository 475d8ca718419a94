import fc from 'fast-check';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { cutSeries, type InputSeries } from '../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import { createDayWriters, DAY_SCHEMAS } from '../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { randomSeries, withoutMetrics } from '../../support/release/random-series.js';

const texts = await readProductTexts();
const { methodology } = texts;
const chain = fc.constantFrom(...CHAIN_IDS);
const series = (days: { min: number; max: number }): fc.Arbitrary<InputSeries> =>
  fc
    .record({
      chain,
      seed: fc.nat(1_000_000),
      days: fc.integer(days),
      missingCells: fc.constantFrom(0, 0.02, 0.3),
      missingRows: fc.constantFrom(0, 0.05),
    })
    .map((options) => randomSeries(options));

/** Returns the canonical text of every record of a series, by schema and date, all with the same provenance. */
function recordsOf(input: InputSeries): Map<string, string> {
  const writers = createDayWriters(input, texts);
  const provenance = { revision: '2026-01-01.000001', updatedThrough: '2026-01-01' };
  const records = new Map<string, string>();
  input.dates.forEach((date, t) => {
    for (const schema of Object.values(DAY_SCHEMAS)) {
      records.set(`${schema} ${date}`, canonicalJson(writers.write(schema, t, provenance)));
    }
  });
  return records;
}

describe('the meta and derived records of a series', () => {
  it('have the level of confidence that the score has, and name each signal without a value', () => {
    const metric = fc.constantFrom<MetricName>('tx_count', 'active_addresses', 'fees_total', 'fee_median');
    fc.assert(
      fc.property(series({ min: 250, max: 480 }), metric, (whole, missing) => {
        const input = withoutMetrics(whole, [missing]);
        const { meta, regimes } = createDayWriters(input, texts);
        input.dates.forEach((_, t) => {
          const { confidence } = meta(t, { revision: '2026-01-01.000001', updatedThrough: '2026-01-01' });
          const { score, level } = confidence;
          expect(level).toBe(score >= 0.9 ? 'high' : score >= 0.7 ? 'moderate' : 'low');
          for (const { definition, z } of regimes.signals) {
            expect(confidence.missing_signals.includes(definition.signal)).toBe(z[t] === null);
          }
        });
      }),
      { numRuns: 4 },
    );
  }, 120_000);

  it('use no later value: removing or changing later dates changes no earlier record', () => {
    fc.assert(
      fc.property(
        series({ min: 30, max: 420 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (input, share) => {
          const t = Math.floor(share * (input.dates.length - 1));
          const date = input.dates[t] ?? '';
          const whole = recordsOf(input);
          const past = recordsOf(cutSeries(input, date));
          const doubled = recordsOf(mapValues(input, (value, i) => (i > t ? value * 2 : value)));
          for (const [name, record] of past) {
            expect(record).toBe(whole.get(name));
            expect(doubled.get(name)).toBe(record);
          }
        },
      ),
      { numRuns: 5 },
    );
  }, 120_000);

  it('keep the z of a metric whose logarithm is taken within 2e-6 when its unit changes', () => {
    const logged = fc.constantFrom<MetricName>('tx_count', 'active_addresses', 'fee_median');
    fc.assert(
      fc.property(
        series({ min: 150, max: 420 }),
        logged,
        fc.double({ min: 0.001, max: 1000, noNaN: true }),
        (input, metric, factor) => {
          const scaled: InputSeries = {
            ...input,
            metrics: {
              ...input.metrics,
              [metric]: input.metrics[metric]?.map((x) => (x === null ? null : x * factor)) ?? [],
            },
          };
          const z = (each: InputSeries): readonly (number | null)[] =>
            computeRegimes(each, methodology).signals.find(({ definition }) => definition.signal === metric)
              ?.z ?? [];
          const after = z(scaled);
          z(input).forEach((before, t) => {
            expect(after[t] === null).toBe(before === null);
            expect(Math.abs((after[t] ?? 0) - (before ?? 0))).toBeLessThanOrEqual(2e-6); // z has six decimals
          });
        },
      ),
      { numRuns: 10 },
    );
  }, 120_000);

  it('never treat a missing value as zero', () => {
    fc.assert(
      fc.property(series({ min: 120, max: 200 }), (input) => {
        const t = input.dates.length - 1;
        const without = mapValues(input, (value, i) => (i === t ? null : value));
        const zeroed = mapValues(input, (value, i) => (i === t ? 0 : value));
        const last = (each: InputSeries): unknown =>
          createDayWriters(each, texts).regimes.signals.map(({ value }) => value[t]);
        expect(last(without)).toEqual(expect.not.arrayContaining([0]));
        expect(recordsOf(without).get(`gold-day/1 ${input.dates[t] ?? ''}`)).not.toBe(
          recordsOf(zeroed).get(`gold-day/1 ${input.dates[t] ?? ''}`),
        );
      }),
      { numRuns: 10 },
    );
  }, 120_000);
});

function mapValues(input: InputSeries, change: (value: number, t: number) => number | null): InputSeries {
  const metrics = Object.fromEntries(
    Object.entries(input.metrics).map(([metric, column]) => [
      metric,
      column.map((value, t) => (value === null ? null : change(value, t))),
    ]),
  );
  return { ...input, metrics };
}
