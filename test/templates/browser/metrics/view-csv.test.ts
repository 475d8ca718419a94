import { runOn, toViewCsv } from '../../../../templates/browser/metrics/view-csv.js';
import type { Run } from '../../../../generator/core/charts/chart-series.js';
import type { Chain } from '../../../../schemas/types.generated.js';
import { toDayNumber } from '../../../../schemas/dates.js';

const FIRST = toDayNumber('2024-02-27');
const runs = [
  { label: 'quiet', from: FIRST, to: FIRST + 2 },
  { label: 'steady', from: FIRST + 3, to: FIRST + 9 },
] as const;
const regimes = new Map<Chain, readonly Run[]>([
  ['bitcoin', runs],
  ['base', [{ label: 'slack', from: FIRST, to: FIRST + 9 }]],
]);

it('has the days of the window with a value, with all digits, a decimal point only for metrics that are not counts', () => {
  const lines = [
    { chain: 'bitcoin', metric: 'tx_count', first: FIRST, values: [396_495, null, 7, 8, null] },
    { chain: 'base', metric: 'fee_median', first: FIRST + 1, values: [0.0000158907181, 2, null, 1e-9] },
  ] as const;
  expect(toViewCsv(lines, regimes, { from: FIRST, to: FIRST + 5 })).toBe(
    [
      'date,bitcoin_regime,base_regime,bitcoin_tx_count,base_fee_median',
      '2024-02-27,quiet,slack,396495,',
      '2024-02-28,quiet,slack,,0.0000158907181',
      '2024-02-29,,slack,7,2.0',
      '2024-03-01,steady,slack,8,',
      '2024-03-02,steady,slack,,1.0e-9',
      '',
    ].join('\r\n'),
  );
});

it('leaves out days outside the window', () => {
  const line = { chain: 'bitcoin', metric: 'tx_count', first: FIRST, values: [1, 2, 3] } as const;
  expect(toViewCsv([line], regimes, { from: FIRST + 1, to: FIRST + 2 }).split('\r\n')).toEqual([
    'date,regime,bitcoin_tx_count',
    '2024-02-28,quiet,2',
    '',
  ]);
});

it('finds the run of a day, if it has one', () => {
  expect([-1, 0, 1, 2, 3, 8, 9].map((t) => runOn(runs, FIRST + t)?.label)).toEqual([
    undefined,
    'quiet',
    'quiet',
    undefined,
    'steady',
    'steady',
    undefined,
  ]);
});
