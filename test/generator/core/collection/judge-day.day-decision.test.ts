import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import { type DayDecision, decideDay } from '../../../../generator/core/collection/judge-day.js';
import type { DayValues } from '../../../../generator/core/collection/day-values.js';
import { parseInstant } from '../../../../schemas/dates.js';

const WHOLE: DayValues = { tx_count: '1', active_addresses: '2', fees_total: '3', fee_median: '4' };
const { fee_median: _median, ...PART } = WHOLE;
const BEFORE = '2026-08-20T11:59:59Z';
const DEADLINE = '2026-08-20T12:00:00Z';

const decide = (values: DayValues, at: string): DayDecision =>
  decideDay('2026-08-19', { values }, DEFAULT_RULES.base, parseInstant(at) ?? NaN);

it.each<[string, DayValues, string, DayDecision]>([
  [
    'with all required metrics is accepted at once',
    WHOLE,
    BEFORE,
    { outcome: 'accepted', values: WHOLE, missing: [] },
  ],
  ['without one of them waits', PART, BEFORE, { outcome: 'waiting', values: {}, missing: ['fee_median'] }],
  [
    'that still lacks one is accepted at its deadline with what passed',
    PART,
    DEADLINE,
    { outcome: 'incomplete', values: PART, missing: ['fee_median'] },
  ],
  [
    'of which nothing passed is missed at its deadline',
    {},
    DEADLINE,
    { outcome: 'missed', values: {}, missing: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'] },
  ],
])('a day %s', (_what, values, at, expected) => {
  expect(decide(values, at)).toEqual(expected);
});
