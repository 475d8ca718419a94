import { type Restatement } from '../../../../generator/core/release/plan-types.js';
import { explainRefusal } from '../../../../generator/core/release/publish-report.js';

const NOTHING: Restatement = {
  dates: 2,
  first_date: '2026-08-01',
  last_date: '2026-08-02',
  input_dates: [],
  added_dates: [],
  withdrawn_dates: [],
  metrics: [],
  label_changes: [],
};
const dates = ['2026-08-01'];

/** Returns the lines that explain a refused restatement. */
const explain = (
  changes: Partial<Restatement>,
  { isCollected = false, notRecorded }: { isCollected?: boolean; notRecorded?: readonly string[] } = {},
): string[] =>
  explainRefusal(
    'base',
    {
      kind: 'restatement',
      restatement: { ...NOTHING, ...changes },
      ...(notRecorded ? { not_recorded: notRecorded } : {}),
    },
    { acceptCommand: 'the command', againCommand: 'the same command', isCollected },
  );

describe('a refused restatement is explained', () => {
  it('by the code or the methodology, if nothing else changed', () => {
    expect(explain({})).toEqual([
      'base: refused: 2 published dates would be restated, 2026-08-01 to 2026-08-02',
      '  the input did not change: the cause is the code or the methodology',
      '  no label changes',
      '  To publish exactly this, write the public reason into this command and run it:',
      '  the command',
    ]);
  });

  it.each<[string, Partial<Restatement>, string[]]>([
    [
      'a row or the name of a source, if no metric changed',
      { input_dates: dates },
      [
        '  the input changed on 1 of them: 2026-08-01',
        '  no metric changed on these dates, only the row or the name of its source',
      ],
    ],
    [
      'the metrics that changed',
      {
        input_dates: dates,
        metrics: [{ metric: 'tx_count', dates: 1, largest: { date: '2026-08-01', from: 100, to: 150 } }],
      },
      [
        '  the input changed on 1 of them: 2026-08-01',
        '  tx_count changed on 1 date, most on 2026-08-01: 100 -> 150 (+50 %)',
      ],
    ],
    ['a new row', { added_dates: dates }, ['  the input has a new row on 1 date: 2026-08-01']],
    [
      'a rollback before',
      { withdrawn_dates: dates },
      ['  1 date withdrawn by a rollback would be published again: 2026-08-01'],
    ],
  ])('by %s', (_what, changes, lines) => {
    expect(explain(changes).slice(1, lines.length + 1)).toEqual(lines);
  });
});

describe('a refused restatement names the way without a person', () => {
  it.each<[string, Parameters<typeof explain>[1], RegExp]>([
    [
      'for a folder that somebody fills',
      {},
      /generator collect read this folder as a source of kind "files"/,
    ],
    ['for a collection', { isCollected: true }, /run with --accept-collected/],
    [
      'unless the collection did not record it',
      { isCollected: true, notRecorded: ['2026-08-01 tx_count: 5 -> 6'] },
      /--accept-collected does not accept what the collection did not record: 2026-08-01 tx_count: 5 -> 6/,
    ],
  ])('%s', (_what, options, hint) => {
    const lines = explain({ input_dates: dates }, options);
    expect(lines.at(-3)).toMatch(hint);
    expect(lines.at(-1)).toBe('  the command');
  });
});
