import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { WARM_UP_DATES, warmUpOf } from '../../../generator/upkeep/inspect-store.js';
import type { ChainStatus } from '../../../schemas/types.generated.js';
import { randomSeries } from '../../support/release/random-series.js';

const { methodology } = await readProductTexts();
const NOW = Date.parse('2025-02-01T06:00:00Z');

function chainOf(dates: number, lastAvailable: string | null = null): ChainStatus {
  const days = { available: 0, degraded: dates, missing: 0, withdrawn: 0 };
  return { updated_through: '2025-01-30', last_available: lastAvailable, days } as ChainStatus; // what it reads
}

it('a chain without gaps has its first label on the last date of the warm-up', () => {
  const series = randomSeries({ chain: 'arbitrum', seed: 1, days: 120, missingCells: 0, missingRows: 0 });
  const first = computeRegimes(series, methodology).labels.findIndex((label) => label !== 'indeterminate');
  expect(first).toBe(WARM_UP_DATES - 1);
});

it('a chain warms up until its history is long enough, and lags by its newest date meanwhile', () => {
  expect(warmUpOf(chainOf(1), NOW)).toEqual({ until: '2025-05-09', lag_days: 1 });
  expect(warmUpOf(chainOf(99), NOW)).toEqual({ until: '2025-01-31', lag_days: 1 });
  expect(warmUpOf(chainOf(100), NOW)).toBeNull();
});

it('a chain with an available date does not warm up', () => {
  expect(warmUpOf(chainOf(50, '2025-01-20'), NOW)).toBeNull();
});
