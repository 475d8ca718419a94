import { CHAIN_IDS } from '../../schemas/catalog.js';
import { currentMethodology } from '../../schemas/methodology.js';
import type { Chain, RegimeLabel } from '../../schemas/types.generated.js';
import type { LabelStatistics } from '../../generator/core/artifacts/regimes.js';
import { seriesStatistics } from '../support/release/series-statistics.js';
import { readHistory, seriesOf } from './history-data.js';

const history = await readHistory();
const statistics = new Map(
  CHAIN_IDS.map((chain) => [chain, seriesStatistics(seriesOf(history, chain), currentMethodology())]),
);

function statisticsOf(chain: Chain): LabelStatistics {
  const found = statistics.get(chain);
  if (found === undefined) throw new Error(`no statistics of ${chain}`);
  return found;
}

const ratioOf = (chain: Chain, name: RegimeLabel, quantity: string): number =>
  statisticsOf(chain).labels.find(({ label }) => label === name)?.to_year[quantity]?.median ?? NaN;

describe('on the real history', () => {
  // What a reader of the published files computed from them, before some labels were corrected.
  it.each<[RegimeLabel, number]>([
    ['congested', 2.19],
    ['strained', 1.71],
    ['slack', 0.56],
    ['dormant', 0.19],
  ])("the fees of bitcoin's %s days have been about %d times the median of their year", (label, times) => {
    expect(Math.abs(ratioOf('bitcoin', label, 'fees_total') - times)).toBeLessThan(0.03);
  });

  it('runs of bitcoin have lasted a median of 20 days', () => {
    expect(statisticsOf('bitcoin').labelled.run_length?.median).toBe(20);
  });

  it.each<[Chain, number]>([
    ['bitcoin', 0.52],
    ['arbitrum', 0.89],
  ])('demand of %s has been high on %d of the days with a label, because its use grew', (chain, share) => {
    const { demand, to_year: ratios } = statisticsOf(chain).labelled;
    expect(demand[0]).toMatchObject({ level: 'high', share: expect.closeTo(share, 2) });
    expect(ratios['tx_count']?.median).toBeGreaterThan(1.1);
  });

  it.each<Chain>(['bitcoin', 'ethereum'])('fees on %s have been higher where its labels say so', (chain) => {
    const cost = chain === 'bitcoin' ? 'fee_mean' : 'gas_price_mean';
    for (const scarce of ['congested', 'strained'] as const)
      expect(ratioOf(chain, scarce, cost)).toBeGreaterThan(1.4);
    for (const cheap of ['slack', 'dormant'] as const) expect(ratioOf(chain, cheap, cost)).toBeLessThan(0.6);
    expect(ratioOf(chain, 'expanding', 'tx_count')).toBeGreaterThan(1.3);
    expect(ratioOf(chain, 'quiet', 'tx_count')).toBeLessThan(0.9);
  });
});
