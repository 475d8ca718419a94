import { firstValuesOf } from '../../../generator/collect/collect-chain.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';

const line = (rule: LedgerLine['rule'], values: LedgerLine['values'], date = '2026-07-30'): LedgerLine => ({
  chain: 'base',
  date,
  values,
  source: 'files',
  rule,
  reason: null,
  lineage: '0'.repeat(64),
  accepted_at: '2026-07-31T06:15:00Z',
});

it.each<[string, LedgerLine[], LedgerLine['values']]>([
  [
    'the first, whatever was revised later',
    [line('day', { tx_count: '1' }), line('revision', { tx_count: '2' })],
    { tx_count: '1' },
  ],
  [
    'that of a person, if one accepted another',
    [line('day', { tx_count: '1' }), line('person', { tx_count: '5' }), line('revision', { tx_count: '6' })],
    { tx_count: '5' },
  ],
  [
    'of each metric its own',
    [line('deadline', { tx_count: '1' }), line('fill-in', { fees_total: '3' })],
    { tx_count: '1', fees_total: '3' },
  ],
])('the value with which a revision is compared is %s', (_what, lines, values) => {
  const others = [line('day', { tx_count: '9' }, '2026-07-29')];
  expect(firstValuesOf([...others, ...lines])).toEqual(
    new Map([
      ['2026-07-29', { tx_count: '9' }],
      ['2026-07-30', values],
    ]),
  );
});
