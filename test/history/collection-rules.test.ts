import { DEFAULT_RULES } from '../../generator/core/collection/collection-rules.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { judgeHistory, toDays } from '../../scripts/calibration/collection/judge-history.js';
import { readHistory, seriesOf } from './history-data.js';

const inputs = await readHistory();

it.each(CHAIN_IDS)('no zero and no relation of values stops a true date of %s', (chain) => {
  const days = toDays(seriesOf(inputs, chain));
  const stops = judgeHistory(chain, days, DEFAULT_RULES[chain]);
  expect(stops.filter(({ judged }) => judged === 'zero' || judged === 'relation')).toEqual([]);
});

it('the median fee of arbitrum would stop true dates with the factor of the other chains', () => {
  const rules = { ...DEFAULT_RULES.arbitrum, medianFactor: DEFAULT_RULES.base.medianFactor };
  const stops = judgeHistory('arbitrum', toDays(seriesOf(inputs, 'arbitrum')), rules);
  const dates = stops.filter(({ metric, judged }) => metric === 'fee_median' && judged === 'relation');
  expect(dates.map(({ date }) => date)).toEqual([
    '2021-05-29',
    '2021-06-17',
    '2021-06-19',
    '2021-06-20',
    '2021-06-21',
  ]);
});
