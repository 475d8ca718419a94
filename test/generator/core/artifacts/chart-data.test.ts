import fc from 'fast-check';
import {
  chartDataFile,
  pointsOf,
  toChart,
  toChartPoint,
} from '../../../../generator/core/artifacts/chart-data.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { shareWords, zWords } from '../../../../schemas/words.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { readStartingPoint } from '../../../../generator/state/published-state.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import type { Chart } from '../../../../schemas/types.generated.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../../support/release/random-series.js';
import { chartDays } from '../../../support/release/chart-days.js';

const texts = await readProductTexts();
const { methodology } = texts;
const STAMP = { revision: '2026-03-01.000001', sequence: 1, publishedAt: '2026-03-01T06:00:00Z' };

it('holds what the records say, with numbers that read the same, for every chain', () => {
  for (const chain of CHAIN_IDS) {
    const series = randomSeries({ chain, seed: 9, days: 420, missingCells: 0.1, missingRows: 0.05 });
    const { meta } = createDayWriters(series, texts);
    const records = series.dates.map((_, t) =>
      meta(t, { revision: STAMP.revision, updatedThrough: '2023-01-01' }),
    );
    const file = chartDataFile(chain, records.map(toChartPoint), methodology);
    const { value, text } = file.content(STAMP);
    expect(findSchemaFaults('chart', value)).toEqual([]);
    expect([file.path, file.type]).toEqual([`/charts/${chain}.json`, 'application/json']);
    const points = pointsOf(JSON.parse(text) as Chart);
    expect(points.map(({ date, label, missing }) => [date, label, missing])).toEqual(
      records.map(({ date, regime, confidence }) => [date, regime.label, confidence.missing_signals]),
    );
    for (const [t, { regime, confidence }] of records.entries()) {
      const { demand, pressure } = regime.axes;
      const point = points[t];
      const words = (z: number | null | undefined): string =>
        z === null || z === undefined ? 'none' : zWords(z);
      expect([point?.demand, point?.pressure].map(words)).toEqual([demand.z, pressure.z].map(words));
      expect(shareWords(point?.confidence ?? -1)).toBe(shareWords(confidence.score));
    }
  }
});

it('rounds numbers so that they read the same, whatever their digits', () => {
  const [record] = CHAIN_IDS.map((chain) =>
    createDayWriters(randomSeries({ chain, seed: 1, days: 3 }), texts).meta(1, {
      revision: STAMP.revision,
      updatedThrough: '',
    }),
  );
  if (record === undefined) throw new Error('no record');
  fc.assert(
    fc.property(fc.integer({ min: -9_999_999, max: 9_999_999 }), (digits) => {
      const z = digits / 1e6;
      const axes = { demand: { z, level: 'normal' as const }, pressure: { z: null, level: null } };
      const point = toChartPoint({ ...record, regime: { ...record.regime, axes } });
      expect(zWords(point.demand ?? NaN)).toBe(zWords(z));
      expect(Object.is(point.demand, -0)).toBe(false);
    }),
  );
});

it('has null for a date between others that has no record', () => {
  const points = chartDays(5).filter((_, t) => t !== 2);
  const chart = toChart('base', points, methodology, STAMP.revision);
  expect(chart.days.label).toEqual([3, 3, null, 3, 3]);
  expect([chart.days.confidence[2], chart.days.demand[2], chart.days.missing[2]]).toEqual([null, null, 0]);
  expect(pointsOf(chart)).toEqual(points);
});

it('is the same whether the history was extended, corrected or published at once', async () => {
  const long = randomSeries({ chain: 'base', seed: 5, days: 90 });
  const edited = editSeries(long, 'tx_count', long.dates[80] ?? '', 1_234_567);
  const chartOf = async (steps: readonly [typeof long, string][]): Promise<Chart['days'] | undefined> => {
    const store = createMemoryStore();
    for (const [inputs, asOf] of steps)
      await publishSeries(store, { inputs: [inputs], asOf, acceptance: { reason: 'a better count' } });
    return (await readStartingPoint(store, ['base'])).state?.charts.get('base')?.days;
  };
  const short = randomSeries({ chain: 'base', seed: 5, days: 89 });
  const atOnce = await chartOf([[long, '2022-06-01']]);
  expect(atOnce?.label).toHaveLength(90);
  expect(
    await chartOf([
      [short, '2022-06-01'],
      [long, '2022-06-02'],
    ]),
  ).toEqual(atOnce);
  expect(
    await chartOf([
      [long, '2022-06-01'],
      [edited, '2022-06-02'],
    ]),
  ).toEqual(await chartOf([[edited, '2022-06-02']]));
}, 60_000);
