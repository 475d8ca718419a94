import { compareMetrics, type PublishedGold } from '../../../../generator/core/release/assess-chain.js';
import { toInputSeries } from '../../../../generator/core/input/input-series.js';
import { toDayNumber } from '../../../../schemas/dates.js';

const DATES = ['2022-01-01', '2022-01-02', '2022-01-03'] as const;
const FIRST = toDayNumber(DATES[0]);

type Values = readonly (number | null)[];

/** Compares two published metrics of base with the input, a value per date. */
function compare({
  published,
  input,
}: Record<'published' | 'input', { readonly tx_count: Values; readonly gas_used: Values }>): unknown {
  const days = DATES.map((date, t) => ({
    date,
    metrics: { tx_count: published.tx_count[t] ?? null, gas_used: published.gas_used[t] ?? null },
  })) as unknown as PublishedGold[]; // the other metrics of base are not compared
  const rows = DATES.map((_, t) => ({
    day: FIRST + t,
    values: [input.tx_count[t] ?? null, input.gas_used[t] ?? null],
  }));
  return compareMetrics(toInputSeries('base', ['tx_count', 'gas_used'], rows, []), days);
}

describe('the changed metrics of a restatement', () => {
  const same = [1, 2, 3];

  it('are none when every value is the published one', () => {
    const values = { tx_count: [1, null, 3], gas_used: same };
    expect(compare({ published: values, input: values })).toEqual([]);
  });

  it.each<[string, Values, Values, number, number]>([
    ['a rise by a half, not one by more units', [10, 1000, 5], [15, 1100, 5], 2, 0],
    ['a fall by a half, not a rise by two fifths', [100, 100, 5], [140, 50, 5], 2, 1],
    ['a rise to three times, not a fall to almost nothing', [100, 5, 100], [1, 5, 300], 2, 2],
    ['a removed value, not a large rise', [1, 5, 2], [900, 5, null], 2, 2],
    ['an added value, not a large rise', [1, null, 2], [900, 5, 2], 2, 1],
    ['a value that was zero, not a large rise', [1, 0, 2], [900, 5, 2], 2, 1],
    ['the first of two changes of the same size', [10, 20, 5], [20, 40, 5], 2, 0],
  ])('name as the largest change %s', (_name, before, now, dates, t) => {
    const changed = compare({
      published: { tx_count: before, gas_used: same },
      input: { tx_count: now, gas_used: same },
    });
    const largest = { date: DATES[t], from: before[t], to: now[t] };
    expect(changed).toEqual([{ metric: 'tx_count', dates, largest }]);
  });

  it('are counted for each metric', () => {
    const changed = compare({
      published: { tx_count: same, gas_used: same },
      input: { tx_count: [1, 2, 4], gas_used: [2, 3, 4] },
    });
    expect(changed).toMatchObject([
      { metric: 'tx_count', dates: 1 },
      { metric: 'gas_used', dates: 3 },
    ]);
  });
});
