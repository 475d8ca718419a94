import {
  joinReasons,
  judgeRecorded,
  type PublishedInput,
} from '../../../../generator/core/collection/ledger.js';
import { toInputSeries, type InputSeries } from '../../../../generator/core/input/input-series.js';
import { toDayNumber } from '../../../../schemas/dates.js';
import type { LedgerLine } from '../../../../schemas/types.generated.js';

const DATE = '2026-08-19';
const REVISED = 'source revised within its settling window';

/** Returns the input of one date. */
const input = (txCount: number | null, source = 'files'): InputSeries =>
  toInputSeries(
    'base',
    ['tx_count'],
    [{ day: toDayNumber(DATE), values: [txCount] }],
    [{ name: source, licence: 'CC0' }],
  );

const published = (txCount: number | null, source: string | null = 'files'): PublishedInput => ({
  date: DATE,
  metrics: { tx_count: txCount },
  source,
});

/** Returns a line for each value of the date, the first one without a reason. */
const lines = (...values: string[]): LedgerLine[] =>
  values.map((value, i) => ({
    chain: 'base',
    date: DATE,
    values: { tx_count: value },
    source: 'files',
    rule: 'day',
    reason: i === 0 ? null : `reason ${i}`,
    lineage: '0'.repeat(64),
    accepted_at: '2026-08-20T06:15:00Z',
  }));

it.each<[string, number | null, number | null, LedgerLine[], readonly string[]]>([
  ['a revision', 5, 6, lines('5', '6'), ['reason 1']],
  ['several revisions between two publications', 5, 7, lines('5', '6', '7'), ['reason 1', 'reason 2']],
  ['only the revisions after the published value', 6, 7, lines('5', '6', '7'), ['reason 2']],
  ['a value that returned, from where it was last', 5, 8, lines('5', '6', '5', '8'), ['reason 3']],
  ['a value that was missing', null, 5, lines('5'), ['source completed the date']],
])('%s that the ledger recorded has its reasons', (_what, from, to, ledger, reasons) => {
  expect(judgeRecorded(input(to), [published(from)], ledger)).toEqual({ reasons, unrecorded: [] });
});

it.each<[string, number | null, number | null, LedgerLine[], string]>([
  ['a published value that the ledger never had', 4, 6, lines('5', '6'), 'tx_count: 4 -> 6'],
  ['a value other than the last of the ledger', 5, 6, lines('5', '6', '7'), 'tx_count: 5 -> 6'],
  ['a value that is gone', 5, null, lines('5', '6'), 'tx_count: 5 -> missing'],
  ['a change without a ledger', 5, 6, [], 'tx_count: 5 -> 6'],
])('%s is not recorded', (_what, from, to, ledger, expected) => {
  expect(judgeRecorded(input(to), [published(from)], ledger).unrecorded).toEqual([`${DATE} ${expected}`]);
});

describe('the name of a source', () => {
  it('may change with a value that another source filled in', () => {
    const [first, second] = lines('5', '6');
    if (first === undefined || second === undefined) throw new Error('two lines');
    const both = [first, { ...second, source: 'node', reason: REVISED }];
    expect(judgeRecorded(input(6, 'files and node'), [published(5)], both)).toEqual({
      reasons: [REVISED],
      unrecorded: [],
    });
  });

  it('does not change by itself, nor with a value of the same source', () => {
    const renamed = [`${DATE} source: files -> renamed`];
    expect(judgeRecorded(input(5, 'renamed'), [published(5)], lines('5')).unrecorded).toEqual(renamed);
    expect(judgeRecorded(input(6, 'renamed'), [published(5)], lines('5', '6')).unrecorded).toEqual(renamed);
  });

  it('comes with the first values of a date that was published without a row', () => {
    expect(judgeRecorded(input(5), [published(null, null)], lines('5')).unrecorded).toEqual([]);
  });
});

it('a date whose input is the same was restated by something else', () => {
  expect(judgeRecorded(input(5), [published(5)], lines('5')).unrecorded).toHaveLength(1);
});

it('reasons are joined, each once, within the length of a public reason', () => {
  expect(joinReasons(['one', 'two', 'one'])).toBe('one; two');
  expect(joinReasons(['x'.repeat(150), 'y'.repeat(150)])).toMatch(/^x{150}; y{47}…$/);
});
