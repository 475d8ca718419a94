import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import type {
  CollectedDay,
  DatedValues,
  DayValues,
} from '../../../../generator/core/collection/day-values.js';
import {
  judgeDay,
  type JudgeOptions,
  type Judgement,
} from '../../../../generator/core/collection/judge-day.js';
import type { Check } from '../../../../generator/core/collection/compared.js';
import { addDays } from '../../../../schemas/dates.js';
import type { Chain } from '../../../../schemas/types.generated.js';

const DATE = '2026-08-19';
const VALUES: DayValues = {
  tx_count: '1000',
  active_addresses: '500',
  fees_total: '100.5',
  fee_median: '0.01',
};

/** The fees of a day on which nobody paid any. */
const FREE: DayValues = { fees_total: '0', fee_median: '0' };

/** Returns dates before `DATE` whose values vary a little, from the oldest. */
function history(values: DayValues = VALUES, days = 28): DatedValues[] {
  return Array.from({ length: days }, (_, i) => ({
    date: addDays(DATE, i - days),
    values: Object.fromEntries(
      Object.entries(values).map(([metric, value]) => [metric, String(Number(value) + ((i % 5) + 1) / 100)]),
    ),
  }));
}

function judge(
  values: DayValues,
  options: Partial<JudgeOptions> & { readonly chain?: Chain; readonly counts?: CollectedDay['counts'] } = {},
): Judgement {
  const { chain = 'base', counts = {}, ...rest } = options;
  const evidence = { kind: 'responses', responses: [] } as const;
  const day: CollectedDay = { chain, date: DATE, values, counts, evidence };
  return judgeDay(day, { rules: DEFAULT_RULES[chain], before: history(), ...rest });
}

const found = ({ findings }: Judgement): string[] =>
  findings.map(({ rule, effect, metrics }) => `${rule} ${effect} ${metrics.join(' ')}`);

it('a usual day passes whole', () => {
  expect(judge(VALUES)).toEqual({ values: VALUES, withheld: [], acceptable: {}, findings: [] });
});

describe('the rule shape withholds', () => {
  it.each<[string, DayValues]>([
    ['a count with a fraction', { ...VALUES, tx_count: '1000.5' }],
    ['a negative value', { ...VALUES, tx_count: '-1' }],
    ['an exponent', { ...VALUES, tx_count: '1e3' }],
    ['no number', { ...VALUES, tx_count: 'NaN' }],
  ])('%s', (_what, values) => {
    const judgement = judge(values);
    expect(found(judgement)).toEqual(['shape withheld tx_count']);
    expect(Object.keys(judgement.values)).toEqual(['active_addresses', 'fees_total', 'fee_median']);
  });

  it('a metric that the chain does not have', () => {
    expect(judge({ ...VALUES, hash_rate: '1' }).withheld).toEqual(['hash_rate']);
  });
});

describe('the rule whole', () => {
  const whole = {
    block_count: '43200',
    block_numbers: '43200',
    first_block: '100',
    last_block: '43299',
    block_tx_count: '1200',
    all_rows: '1200',
    all_gas: '77',
    gas_used: '77',
    status_missing: '0',
    fee_disagrees: '0',
  };

  it('passes a day whose blocks and transactions are complete', () => {
    expect(judge(VALUES, { counts: whole, neighbours: { before: { last_block: '99' } } }).findings).toEqual(
      [],
    );
  });

  it.each<[string, CollectedDay['counts'], RegExp]>([
    ['a block twice', { block_numbers: '43199' }, /^block_numbers is 43199, but block_count is 43200/],
    ['missing transactions', { all_rows: '1199' }, /^block_tx_count is 1200, but all_rows is 1199/],
    ['missing gas', { all_gas: '76' }, /^all_gas is 76, but gas_used is 77/],
    ['a row without a status', { status_missing: '1' }, /^status_missing is 1, not 0/],
    ['fees in another unit', { fee_disagrees: '9' }, /^fee_disagrees is 9, not 0/],
    ['a gap in the numbers', { last_block: '43300' }, /^1 of the blocks 100 to 43300 are missing/],
    [
      'a gap after the day before',
      { first_block: '101', last_block: '43300' },
      /^the first block is 101, but/,
    ],
  ])('withholds the day for %s', (_what, change, message) => {
    const neighbours = { before: { last_block: '99' } };
    const judgement = judge(VALUES, { counts: { ...whole, ...change }, neighbours });
    expect(judgement.values).toEqual({});
    expect(judgement.withheld).toEqual(Object.keys(VALUES));
    expect(judgement.findings.map(({ rule, message: text }) => [rule, text])).toEqual([
      ['whole', expect.stringMatching(message)],
    ]);
  });

  it('withholds a day of base without exactly 43,200 blocks', () => {
    const counts = { ...whole, block_count: '43199', block_numbers: '43199', last_block: '43298' };
    expect(judge(VALUES, { counts }).findings.map(({ message }) => message)).toEqual([
      'block_count is 43199, not 43200.',
    ]);
  });

  // ethereum before 2017-10-16: receipts with `root`, as in block 1000000
  it('leaves out only failed_tx_count of a day whose receipts have no status, and says why', () => {
    const judgement = judge(VALUES, { counts: { ...whole, before_status: '57' } });
    expect(judgement.values).toEqual(VALUES);
    expect(judgement.findings).toEqual([
      {
        rule: 'whole',
        metrics: ['failed_tx_count'],
        effect: 'omitted',
        message:
          'failed_tx_count is left out: 57 receipts are from before Byzantium (2017-10-16) and have no status.',
      },
    ]);
    expect(judge(VALUES, { counts: { ...whole, before_status: '0' } }).findings).toEqual([]);
  });

  it('allows only a settled day to have an unusual number of blocks', () => {
    const counts = { ...whole, block_count: '43199', block_numbers: '43199', last_block: '43298' };
    expect(judge(VALUES, { counts, isSettled: true }).values).toEqual(VALUES);
  });

  it('judges the number of blocks also of a source that gives it as a value', () => {
    const part = { ...VALUES, tx_count: '660', block_count: '28705' };
    const judgement = judge(part);
    expect(judgement.values).toEqual({});
    expect(judgement.findings).toContainEqual(
      expect.objectContaining({
        rule: 'whole',
        effect: 'withheld',
        message: 'block_count is 28705, not 43200.',
      }),
    );
    expect(judge(part, { isSettled: true }).findings).toContainEqual(
      expect.objectContaining({ rule: 'whole', effect: 'noted' }),
    );
    expect(found(judge({ ...VALUES, block_count: '43200' }))).toEqual([]);
    expect(found(judge({ ...VALUES, block_count: '4.5' }))).toEqual(['shape withheld block_count']);
  });

  describe('compares the block numbers of bitcoin over three days', () => {
    const range = (from: number, to: number): number[] =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const countsOf = (blocks: readonly number[]): CollectedDay['counts'] => ({
      first_block: String(Math.min(...blocks)),
      last_block: String(Math.max(...blocks)),
      block_count: String(blocks.length),
      block_numbers: String(blocks.length),
    });
    const before = [...range(0, 99), 101];
    const day = [100, ...range(102, 242), 244];
    const after = [243, ...range(245, 344)];
    const judged = (
      counts: readonly number[],
      neighbours: { earlier?: readonly number[]; before?: readonly number[]; after?: readonly number[] },
    ) => {
      const around = Object.fromEntries(
        Object.entries(neighbours).map(([name, blocks]) => [name, countsOf(blocks)]),
      );
      const { findings } = judge(VALUES, { chain: 'bitcoin', counts: countsOf(counts), neighbours: around });
      return findings.map(({ effect, message }) => `${effect}: ${message}`);
    };

    it('which may interleave at midnight, also with the days beyond them', () => {
      expect(judged(day, { before, after })).toEqual([]);
      expect(judged(day, { before, after: [...after.slice(0, -1), 346] })).toEqual([]);
    });

    it('and withholds a day that lacks one', () => {
      expect(
        judged(
          day.filter((each) => each !== 150),
          { before, after },
        ),
      ).toEqual(['withheld: the blocks 0 to 344 are 345, but 344 were found on three days.']);
    });

    it('and notes, about the newest day, that the day before lacks one', () => {
      const gap = day.filter((each) => each !== 150);
      expect(judged(after, { earlier: before, before: gap })).toEqual([
        'noted: the blocks 0 to 344 are 345, but 344 were found on three days.',
      ]);
    });
  });
});

describe('the rule zero', () => {
  it('omits a zero where the dates before had none', () => {
    const judgement = judge({ ...VALUES, fees_total: '0' });
    expect(found(judgement)).toEqual(['zero omitted fees_total']);
    expect(judgement).toMatchObject({ withheld: [], values: { tx_count: '1000' } });
    expect(judgement.values).not.toHaveProperty('fees_total');
  });

  it('keeps a zero where zeros are usual, and one without any history', () => {
    const before = [...history(), { date: '2026-08-18', values: { ...VALUES, ...FREE, tx_count: '999' } }];
    expect(judge({ ...VALUES, ...FREE }, { before }).values).toHaveProperty('fees_total', '0');
    expect(judge({ ...VALUES, ...FREE }, { before: [] }).findings).toEqual([]);
  });
});

describe('the rule constant', () => {
  it('omits a count that repeats the date before exactly, and no other value', () => {
    const before = [...history(), { date: '2026-08-18', values: { ...VALUES, tx_count: '999' } }];
    const judgement = judge(VALUES, { before });
    expect(found(judgement)).toEqual(['constant omitted active_addresses']);
    expect(Object.keys(judgement.values)).toEqual(['tx_count', 'fees_total', 'fee_median']);
  });

  it('passes a repetition that a person accepted', () => {
    const before = [...history(), { date: '2026-08-18', values: VALUES }];
    const judgement = judge(VALUES, { before, accepted: ['tx_count', 'active_addresses'] });
    expect(found(judgement)).toEqual(['constant noted tx_count', 'constant noted active_addresses']);
    expect(judgement.values).toEqual(VALUES);
  });

  it('omits failed transactions that are 0 for three dates in a row', () => {
    const silent = (zeros: number): DatedValues[] =>
      history({ ...VALUES, failed_tx_count: '7', gas_used: '9' }).map((each, i) =>
        i < 28 - zeros ? each : { ...each, values: { ...each.values, failed_tx_count: '0' } },
      );
    const values = { ...VALUES, failed_tx_count: '0', gas_used: '9' };
    expect(found(judge(values, { before: silent(2) }))).toEqual(['constant omitted failed_tx_count']);
    expect(found(judge(values, { before: silent(1) }))).toEqual([]);
  });
});

describe('the rule jump', () => {
  it.each([
    ['a count beyond six times the median', { active_addresses: '3001' }, ['jump withheld active_addresses']],
    ['a required count below half of it', { active_addresses: '249' }, ['jump withheld active_addresses']],
    ['another count below a sixth of it', { failed_tx_count: '9' }, ['jump withheld failed_tx_count']],
    ['a fee beyond fifty times the median', { fee_median: '3' }, ['jump withheld fee_median']],
    ['a count of almost six times the median', { active_addresses: '2999' }, []],
    ['a required count of half of it', { active_addresses: '251' }, []],
    ['another count above a sixth of it', { failed_tx_count: '11' }, []],
    ['a fee of forty times the median', { fees_total: '420' }, []],
  ])('judges %s', (_what, change, expected) => {
    const before = history({ ...VALUES, failed_tx_count: '60' });
    expect(found(judge({ ...VALUES, ...change }, { before }))).toEqual(expected);
  });

  it('passes a jump that another source confirms, or that a person accepted', () => {
    const values = { ...VALUES, tx_count: '9000' };
    const check = { source: 'other', values: { tx_count: '9010' }, same: ['tx_count'] as const, ratios: {} };
    expect(judge(values, { checks: [check] }).values).toEqual(values);
    const accepted = judge(values, { accepted: ['tx_count'] });
    expect(accepted.values).toEqual(values);
    expect(found(accepted)).toEqual(['jump noted tx_count']);
  });

  it('needs seven dates to compare with', () => {
    const values = { ...VALUES, tx_count: '9000' };
    expect(judge(values, { before: history(VALUES, 6) }).findings).toEqual([]);
    expect(judge(values, { before: history(VALUES, 7) }).withheld).toContain('tx_count');
  });
});

describe('the rule cross', () => {
  it('withholds a value that differs from an equally defined one by more than a half per cent', () => {
    const check = (text: string): readonly Check[] => [
      { source: 'other', values: { tx_count: text }, same: ['tx_count'], ratios: {} },
    ];
    expect(judge(VALUES, { checks: check('1005') }).findings).toEqual([]);
    const judgement = judge(VALUES, { checks: check('1006') });
    expect(found(judgement)[0]).toBe('cross withheld tx_count');
    expect(judgement.findings[0]?.message).toBe(
      'tx_count is 1000, but other has 1006: they differ by 0.596 %, more than 0.5 %.',
    );
  });

  it('does not listen to another source that has a zero, or nothing', () => {
    const check = (values: DayValues): readonly Check[] => [
      { source: 'other', values, same: ['tx_count'], ratios: {} },
    ];
    expect(judge(VALUES, { checks: check({ tx_count: '0' }) }).findings).toEqual([]);
    expect(judge(VALUES, { checks: check({}) }).findings).toEqual([]);
  });

  it('only notes a ratio to a differently defined value that is not the usual one', () => {
    const ratios = { active_addresses: [2, 2.01, 1.99, 2, 2, 2, 2] };
    const check = (text: string): readonly Check[] => [
      { source: 'other', values: { active_addresses: text }, same: [], ratios },
    ];
    expect(judge(VALUES, { checks: check('251') }).findings).toEqual([]);
    const judgement = judge(VALUES, { checks: check('200') });
    expect(found(judgement)).toEqual(['cross noted active_addresses']);
    expect(judgement.values).toEqual(VALUES);
  });
});

describe('a day whose tx_count is not accepted', () => {
  const day = { ...VALUES, tx_count: '400', active_addresses: '300', fees_total: '4.2' };
  const repeated = [...history(), { date: '2026-08-18', values: VALUES }];

  it.each<[string, DayValues, Partial<JudgeOptions>]>([
    ['is cut short', day, {}],
    ['is ten times too large', { tx_count: '10000', active_addresses: '2000', fees_total: '105' }, {}],
    ['repeats the date before', VALUES, { before: repeated }],
    ['has no transactions', { ...VALUES, tx_count: '0' }, {}],
  ])('gives no other value either: it %s', (_what, values, options) => {
    expect(judge(values, options).values).toEqual({});
  });

  it('is taken whole if a person accepts its tx_count', () => {
    const judgement = judge(day, { accepted: ['tx_count'] });
    expect(judgement.values).toEqual(day);
    expect(judge(day).findings.at(-1)?.message).toBe(
      'active_addresses, fees_total, fee_median wait with tx_count: the source may have only a part of the day.',
    );
  });
});

it('a finding about a number has the value and the bound as data', () => {
  const measured = ({ findings }: Judgement): unknown[] => findings.map(({ value, bound }) => [value, bound]);
  expect(measured(judge(VALUES, { counts: { block_count: '43199' } }))).toEqual([['43199', '43200']]);
  expect(measured(judge({ block_count: '5' }, { chain: 'bitcoin', counts: { block_count: '5' } }))).toEqual([
    ['5', '50..320'],
  ]);
  const before = history({ tx_count: '1000' }).map((each) => ({ ...each, values: { tx_count: '1000' } }));
  expect(measured(judge({ tx_count: '6001' }, { before }))).toEqual([['6001', '500..6000']]);
  const check = { source: 'other', values: { tx_count: '800' }, same: ['tx_count'] as const, ratios: {} };
  expect(measured(judge(VALUES, { checks: [check] }))[0]).toEqual(['0.25', '0.005']);
});
