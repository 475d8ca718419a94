import {
  chartMetricsFile,
  metricsOfRecords,
  metricsOfSeries,
} from '../../../../generator/core/artifacts/chart-metrics.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { canonicalJson } from '../../../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { chartMetricsPath, objectKey } from '../../../../schemas/paths.js';
import type { ChartMetrics, GoldDay, MetricName } from '../../../../schemas/types.generated.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import { readStartingPoint } from '../../../../generator/state/published-state.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const STAMP = { revision: '2026-03-01.000001', sequence: 1, publishedAt: '2026-03-01T06:00:00Z' };

it('has the values of the gold records to the digit, for every chain', () => {
  for (const chain of CHAIN_IDS) {
    const series = randomSeries({ chain, seed: 9, days: 120, missingCells: 0.1, missingRows: 0.05 });
    const writers = createDayWriters(series, texts);
    const records = series.dates.map(
      (_, t) =>
        writers.write('gold-day/1', t, { revision: STAMP.revision, updatedThrough: '2023-01-01' }) as GoldDay,
    );
    const history = metricsOfSeries(series, new Set(series.dates));
    expect(metricsOfRecords(chain, records)).toEqual(history);
    const file = chartMetricsFile(chain, history);
    const { value, text } = file.content(STAMP);
    expect(findSchemaFaults('chart-metrics', value)).toEqual([]);
    expect([file.path, file.type]).toEqual([`/charts/${chain}/metrics.json`, 'application/json']);
    const { metrics } = JSON.parse(text) as ChartMetrics;
    for (const [t, record] of records.entries()) {
      for (const [metric, values] of Object.entries(metrics)) {
        expect(canonicalJson(values[t] ?? null)).toBe(
          canonicalJson(record.metrics[metric as MetricName] ?? null),
        );
      }
    }
  }
});

it('has null on dates that are not in force, and none before the first or after the last that is', () => {
  const series = randomSeries({ chain: 'base', seed: 3, days: 10 });
  const inForce = series.dates.filter((_, t) => t > 1 && t < 9 && t !== 5);
  const { first_date, updated_through, metrics } = metricsOfSeries(series, new Set(inForce));
  expect([first_date, updated_through]).toEqual([series.dates[2], series.dates[8]]);
  const values = series.metrics.tx_count?.slice(2, 9) ?? [];
  expect(metrics['tx_count']).toEqual(values.map((value, t) => (t === 3 ? null : value)));
});

it('leaves out metrics without a value', () => {
  const series = randomSeries({ chain: 'base', seed: 3, days: 10 });
  const empty = { ...series, metrics: { ...series.metrics, tx_count: series.dates.map(() => null) } };
  const { metrics } = metricsOfSeries(empty, new Set(series.dates));
  expect(Object.keys(metrics)).toEqual(Object.keys(series.metrics).filter((name) => name !== 'tx_count'));
});

it('is the same whether the history was extended, corrected or published at once', async () => {
  const long = randomSeries({ chain: 'base', seed: 5, days: 40 });
  const edited = editSeries(long, 'tx_count', long.dates[30] ?? '', 1_234_567);
  const metricsAfter = async (steps: readonly [typeof long, string][]): Promise<unknown> => {
    const store = createMemoryStore();
    for (const [inputs, asOf] of steps)
      await publishSeries(store, { inputs: [inputs], asOf, acceptance: { reason: 'a better count' } });
    const { state } = await readStartingPoint(store, ['base']);
    const entry = state?.record.public[chartMetricsPath('base')];
    const stored = await store.get(objectKey(entry?.sha256 ?? ''));
    const { published_revision: _revision, ...others } = JSON.parse(
      Buffer.from(stored?.bytes ?? []).toString('utf8'),
    ) as ChartMetrics;
    return others;
  };
  const short = randomSeries({ chain: 'base', seed: 5, days: 39 });
  expect(
    await metricsAfter([
      [short, '2022-06-01'],
      [long, '2022-06-02'],
      [edited, '2022-06-03'],
    ]),
  ).toEqual(await metricsAfter([[edited, '2022-06-01']]));
}, 60_000);
