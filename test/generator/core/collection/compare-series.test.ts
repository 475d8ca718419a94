import * as fc from 'fast-check';
import { compareSeries, type ValuesByDate } from '../../../../generator/core/collection/compare-series.js';
import { addDays } from '../../../../schemas/dates.js';

const series = (days: Record<string, Record<string, string>>): ValuesByDate => new Map(Object.entries(days));

describe('the comparison of two sources', () => {
  it('gives dates, gaps and ratios of each metric', () => {
    const a = series({
      '2026-02-27': { tx_count: '100' },
      '2026-02-28': { tx_count: '110', fees_total: '1' },
      '2026-03-01': { tx_count: '120' },
      '2026-03-03': { tx_count: '90' },
      '2026-03-04': { tx_count: '95' },
    });
    const b = series({
      '2026-03-04': { tx_count: '100' },
      '2026-03-03': { tx_count: '100' },
      '2026-02-27': { tx_count: '100', gas_used: '7' },
    });
    expect(compareSeries(a, b)).toEqual([
      {
        metric: 'tx_count',
        both: 3,
        equal: 1,
        onlyA: [{ first: '2026-02-28', last: '2026-03-01', dates: 2 }],
        onlyB: [],
        ratios: [
          { date: '2026-02-27', ratio: 1 },
          { date: '2026-03-03', ratio: 0.9 },
          { date: '2026-03-04', ratio: 0.95 },
        ],
        summary: {
          median: 0.95,
          least: { date: '2026-03-03', ratio: 0.9 },
          most: { date: '2026-02-27', ratio: 1 },
        },
      },
      {
        metric: 'gas_used',
        both: 0,
        equal: 0,
        onlyA: [],
        onlyB: [{ first: '2026-02-27', last: '2026-02-27', dates: 1 }],
        ratios: [],
      },
      {
        metric: 'fees_total',
        both: 0,
        equal: 0,
        onlyA: [{ first: '2026-02-28', last: '2026-02-28', dates: 1 }],
        onlyB: [],
        ratios: [],
      },
    ]);
  });

  it('tells values apart that differ in their last digit only', () => {
    const one = series({ '2026-03-01': { fees_total: '3.14159265358979323846' } });
    const other = series({ '2026-03-01': { fees_total: '3.14159265358979323847' } });
    expect(compareSeries(one, other)).toMatchObject([{ both: 1, equal: 0, ratios: [{ ratio: 1 }] }]);
  });

  it('has no ratio to a zero, except of a zero', () => {
    const a = series({ '2026-03-01': { tx_count: '5' }, '2026-03-02': { tx_count: '0' } });
    const b = series({ '2026-03-01': { tx_count: '0' }, '2026-03-02': { tx_count: '0' } });
    expect(compareSeries(a, b)).toMatchObject([
      { both: 2, equal: 1, ratios: [{ date: '2026-03-02', ratio: 1 }] },
    ]);
  });

  it('mirrors its dates when the sources change places, whatever they have', () => {
    const anySeries = fc
      .array(fc.option(fc.constantFrom('1', '2', '3')), { minLength: 12, maxLength: 12 })
      .map((values) =>
        series(
          Object.fromEntries(
            values.map((value, i) => [addDays('2026-02-20', i), value === null ? {} : { tx_count: value }]),
          ),
        ),
      );
    fc.assert(
      fc.property(anySeries, anySeries, (a, b) => {
        const [one, other] = [compareSeries(a, b)[0], compareSeries(b, a)[0]];
        expect([one?.both, one?.equal, one?.onlyA, one?.onlyB]).toEqual([
          other?.both,
          other?.equal,
          other?.onlyB,
          other?.onlyA,
        ]);
        const covered = [...(one?.onlyA ?? []), ...(one?.onlyB ?? [])].reduce(
          (sum, { dates }) => sum + dates,
          0,
        );
        const dates = [...a.keys()].filter((date) => a.get(date)?.tx_count ?? b.get(date)?.tx_count);
        expect(covered + (one?.both ?? 0)).toBe(dates.length);
      }),
    );
  });
});

describe('values that are shifted by a day', () => {
  const own = (days: number, shift = 0, value = (i: number): number => 1_000 + i): ValuesByDate =>
    series(
      Object.fromEntries(
        Array.from({ length: days }, (_, i) => [
          addDays('2026-01-01', i),
          { tx_count: String(value(i + shift)), block_count: '43200' },
        ]),
      ),
    );
  const shiftsOf = (a: ValuesByDate, b: ValuesByDate): unknown[] =>
    compareSeries(a, b).map(({ metric, shift }) => [metric, shift]);

  it.each([1, -1])('are named with the direction: %p', (days) => {
    expect(shiftsOf(own(70, days), own(70))).toEqual([
      ['tx_count', { days, dates: 69, compared: 69 }],
      ['block_count', undefined],
    ]);
  });

  it('may be revised on some dates', () => {
    const revised = own(70, 1, (i) => (i % 20 === 3 ? 5 : 1_000 + i));
    expect(shiftsOf(revised, own(70))[0]).toEqual(['tx_count', { days: 1, dates: 65, compared: 69 }]);
  });

  it('are not found in equal, other, few or repeated values', () => {
    for (const [a, b] of [
      [own(70), own(70)],
      [own(70, 2), own(70)],
      [own(7, 1), own(7)],
      [own(70, 1, () => 7), own(70, 0, () => 7)],
    ] as const)
      expect(shiftsOf(a, b)[0]).toEqual(['tx_count', undefined]);
  });
});
