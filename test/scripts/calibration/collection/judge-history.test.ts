import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import type { DatedValues, DayValues } from '../../../../generator/core/collection/day-values.js';
import { judgeHistory } from '../../../../scripts/calibration/collection/judge-history.js';
import { addDays } from '../../../../schemas/dates.js';

const FIRST = '2026-01-01';

/** Returns 40 usual dates of bitcoin, of which one has other values. */
function history(on: number, values: DayValues): DatedValues[] {
  return Array.from({ length: 40 }, (_, i) => ({
    date: addDays(FIRST, i),
    values: {
      tx_count: `${1_000 + i}`,
      fees_total: `10.${i + 10}1`,
      block_count: '144',
      transfer_count: `${70 + i}`,
      ...(i === on ? values : {}),
    },
  }));
}

const stopsOf = (on: number, values: DayValues): string[] =>
  judgeHistory('bitcoin', history(on, values), DEFAULT_RULES.bitcoin).map(
    ({ date, metric, judged }) => `${date} ${metric} ${judged}`,
  );

it('a usual history stops nowhere', () => {
  expect(stopsOf(-1, {})).toEqual([]);
});

it.each<[string, DayValues, string]>([
  ['a zero', { fees_total: '0' }, 'fees_total zero'],
  ['a repeated count', { transfer_count: '99' }, 'transfer_count constant'],
  ['a count that rises far', { tx_count: '9000' }, 'tx_count counts'],
  ['a required count that falls to less than a half', { tx_count: '400' }, 'tx_count drops'],
  ['another count that falls far', { transfer_count: '9' }, 'transfer_count counts'],
  ['an amount that rises far', { fees_total: '900' }, 'fees_total others'],
  ['an impossible number of blocks', { block_count: '40' }, 'block_count blocks'],
])('%s is counted once, on its date and by its metric', (_what, values, expected) => {
  expect(stopsOf(30, values)[0]).toBe(`2026-01-31 ${expected}`);
  expect(new Set(stopsOf(30, values).map((stop) => stop.slice(0, 10)))).toEqual(new Set(['2026-01-31']));
});

it('a date is judged by the dates before it, and only from a first one on', () => {
  const days = history(30, { tx_count: '9000' });
  expect(judgeHistory('bitcoin', days, DEFAULT_RULES.bitcoin, '2026-02-01')).toEqual([]);
});
