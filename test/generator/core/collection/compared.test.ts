import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import { createFeeList, toHalf, toScaled } from '../../../../generator/core/collection/decimal.js';
import { findJumps, findUnrelated } from '../../../../generator/core/collection/compared.js';
import type { DayValues, EarlierDate } from '../../../../generator/core/collection/day-values.js';
import type { Chain, MetricName } from '../../../../schemas/types.generated.js';
import { addDays } from '../../../../schemas/dates.js';

const DATE = '2026-08-19';

/** Returns the dates before `DATE`: 28 with values of about 1,000, of which the last ones are replaced. */
function datesBefore(
  metric: MetricName,
  last: readonly (number | 'accepted')[],
  accepted = 0,
): EarlierDate[] {
  const values = [...Array.from({ length: 28 - last.length }, (_, i) => 1_000 + (i % 5)), ...last];
  return values.map((value, i) => ({
    date: addDays(DATE, i - values.length),
    values: { [metric]: String(value === 'accepted' ? accepted : value) },
    byPerson: value === 'accepted' ? [metric] : [],
  }));
}

const judge = (metric: MetricName, value: number, before: readonly EarlierDate[]): string[] =>
  findJumps({ [metric]: String(value) }, before, DEFAULT_RULES.base).map(({ effect }) => effect);

describe('a value far from the median', () => {
  it('passes at a level that a person accepted, and the finding names the date', () => {
    const before = datesBefore('tx_count', [1_001, 'accepted', 8_100, 7_900], 8_000);
    expect(findJumps({ tx_count: '8200' }, before, DEFAULT_RULES.base)).toEqual([
      expect.objectContaining({
        effect: 'noted',
        message:
          'tx_count is 8200, more than 6 times the median 1002 of 28 dates. A person accepted this level on 2026-08-16.',
      }),
    ]);
  });

  it.each<[string, MetricName, number, (number | 'accepted')[], number]>([
    ['at none', 'tx_count', 8_200, [1_001, 8_000, 8_100], 0],
    ['beyond the factor of the level', 'tx_count', 48_001, ['accepted', 8_100], 8_000],
    ['below a half of the level', 'tx_count', 400, ['accepted', 8_100], 8_000],
    ['at a level that a later date has left', 'tx_count', 8_200, ['accepted', 1_002], 8_000],
    ['at a low level that a later date has left', 'tx_count', 400, ['accepted', 1_002], 450],
    ['near an accepted value that is no jump', 'tx_count', 400, ['accepted', 990], 600],
    ['at a level of a fee that a later date has left', 'fees_total', 60_000, ['accepted', 1_002], 70_000],
  ])('is withheld %s', (_where, metric, value, last, accepted) => {
    expect(judge(metric, value, datesBefore(metric, last, accepted))).toEqual(['withheld']);
  });

  it('passes at a low level, and at one of a fee', () => {
    expect(judge('tx_count', 400, datesBefore('tx_count', ['accepted', 440], 450))).toEqual(['noted']);
    expect(judge('fees_total', 60_000, datesBefore('fees_total', ['accepted', 65_000], 70_000))).toEqual([
      'noted',
    ]);
  });

  it('does not become usual because it was withheld for weeks: the last values count, however old', () => {
    const before = datesBefore('tx_count', []);
    const silent = Array.from({ length: 40 }, (_, i): EarlierDate => ({
      date: addDays(DATE, i),
      values: {},
    }));
    expect(judge('tx_count', 90_000, [...before, ...silent])).toEqual(['withheld']);
  });
});

describe('values of a day that cannot be together', () => {
  it.each<[DayValues, MetricName, string]>([
    [
      { tx_count: '225000', failed_tx_count: '405000' },
      'failed_tx_count',
      'failed_tx_count is 405000, more than 225000: tx_count is 225000.',
    ],
    [
      { block_count: '7100', gas_limit_mean: '0' },
      'gas_limit_mean',
      'gas_limit_mean is 0, but block_count is 7100.',
    ],
    [
      { block_count: '7100', gas_limit_mean: '30000000', gas_used: '214000000000' },
      'gas_used',
      'gas_used is 214000000000, more than 213000000000: gas_limit_mean is 30000000 and block_count is 7100.',
    ],
    [
      { fees_total: '10', tx_count: '400', fee_median: '0.051' },
      'fee_median',
      'fee_median is 0.051, more than 0.05: fees_total is 10 and tx_count is 400.',
    ],
    [
      { block_count: '144', block_weight: '576010000' },
      'block_weight',
      'block_weight is 576010000, more than 576000000: block_count is 144.',
    ],
    [
      { block_count: '144', block_size: '700000000' },
      'block_size',
      'block_size is 700000000, more than 576000000: block_count is 144.',
    ],
    [
      { block_count: '144', issuance: '7300' },
      'issuance',
      'issuance is 7300, more than 7200: block_count is 144.',
    ],
  ])('%p', (values, metric, message) => {
    const [finding, ...others] = findUnrelated(values, DEFAULT_RULES.base);
    expect(others).toEqual([]);
    expect(findUnrelated({ ...values, [metric]: '0.01' }, DEFAULT_RULES.base)).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'relation',
      metrics: [metric],
      effect: 'omitted',
      message,
    });
  });

  it('are not judged without the others, and a whole may be reached', () => {
    const found = (values: DayValues): number => findUnrelated(values, DEFAULT_RULES.base).length;
    expect(found({ failed_tx_count: '405000', gas_limit_mean: '0' })).toBe(0);
    expect(found({ failed_tx_count: '7', tx_count: '7' })).toBe(0);
    expect(found({ failed_tx_count: '5', tx_count: '0' })).toBe(1);
    expect(found({ block_count: '0', gas_limit_mean: '0' })).toBe(0);
    expect(found({ block_count: '7', gas_limit_mean: '0', gas_used: '9' })).toBe(1);
    expect(found({ block_count: '3', gas_limit_mean: '0.1', gas_used: '0.30000000000000004' })).toBe(0);
    expect(found({ tx_count: '400', fee_median: '9' })).toBe(0);
    expect(found({ fees_total: '0', tx_count: '0', fee_median: '0' })).toBe(0);
    expect(found({ fees_total: '0', tx_count: '400', fee_median: '0.01' })).toBe(1);
  });

  it('are never found in a day of true fees, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 10n ** 20n), { minLength: 1 }), (fees) => {
        const list = createFeeList();
        for (const fee of fees) list.add(fee);
        const values = {
          tx_count: String(fees.length),
          fees_total: toScaled(list.sum(), -18),
          fee_median: toHalf(list.twiceMedian() ?? 0n, -18),
        };
        expect(findUnrelated(values, DEFAULT_RULES.ethereum)).toEqual([]);
      }),
    );
  });

  it.each<[Chain, string, number]>([
    ['ethereum', '0.04', 0],
    ['ethereum', '0.06', 1],
    ['arbitrum', '0.4', 0],
    ['arbitrum', '0.6', 1],
  ])('on %s have a median fee %s times 400 of fees of 10', (chain, median, count) => {
    const values = { fees_total: '10', tx_count: '400', fee_median: median };
    expect(findUnrelated(values, DEFAULT_RULES[chain])).toHaveLength(count);
  });
});
