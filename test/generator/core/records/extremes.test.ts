import fc from 'fast-check';
import { extremesAt } from '../../../../generator/core/records/extremes.js';
import { createRounding } from '../../../../generator/core/statistics/rounding.js';
import { addDays } from '../../../../schemas/dates.js';
import { currentMethodology } from '../../../../schemas/methodology.js';

const { derived, rounding: decimals } = currentMethodology();
const rounding = createRounding(decimals);
/** Shorter windows than those of the methodology, so that drawn series have extremes. */
const settings = { ...derived.extremes, year: { days: 9, min_values: 4 }, history: { min_values: 10 } };

type Series = readonly (number | null)[];

const dateOf = (i: number): string => addDays('2020-01-01', i);

/** Returns the extremes of the last value, compared with a mean that is not close to it. */
function extremesOfLast(
  column: Series,
  mean: number | null = 1_000_000,
  of = settings,
): ReturnType<typeof extremesAt> {
  const dates = column.map((_, i) => dateOf(i));
  return extremesAt({ column, dates, t: column.length - 1, mean }, of, rounding);
}

/** Returns the same by the definition, from sorted copies. */
function byDefinition(column: Series): object[] {
  const own = column.at(-1);
  if (own === null || own === undefined) return [];
  const earlier = column.slice(0, -1);
  return (['highest', 'lowest'] as const).flatMap((kind) => {
    const isBeyond = (value: number): boolean => (kind === 'highest' ? value > own : value < own);
    const reached = earlier.findLastIndex((value) => value !== null && (value === own || isBeyond(value)));
    const windows = [
      { window: 'history', values: earlier, least: settings.history.min_values },
      { window: '365d', values: earlier.slice(-(settings.year.days - 1)), least: settings.year.min_values },
    ];
    return windows.flatMap(({ window, values, least }) => {
      const others = values.filter((value) => value !== null);
      const rank = 1 + others.filter(isBeyond).length;
      const compared = others.length + 1;
      if (others.includes(own) || rank > settings.max_rank || compared < least) return [];
      return [{ kind, window, rank, compared, last_reached: reached < 0 ? null : dateOf(reached) }];
    });
  });
}

const drawnColumn = fc.array(fc.option(fc.integer({ min: 0, max: 30 }), { freq: 6 }), {
  minLength: 1,
  maxLength: 60,
});

describe('the extremes of a date', () => {
  it('are those of the definition, on drawn series with ties and gaps', () => {
    let extreme = 0;
    fc.assert(
      fc.property(drawnColumn, (column) => {
        const found = extremesOfLast(column);
        extreme += found.length;
        expect(found).toEqual(byDefinition(column));
      }),
      { numRuns: 2_000 },
    );
    expect(extreme).toBeGreaterThan(500);
  });

  it('do not depend on later values', () => {
    fc.assert(
      fc.property(drawnColumn, drawnColumn, (column, later) => {
        const all = [...column, ...later];
        const dates = all.map((_, i) => dateOf(i));
        const at = { column: all, dates, t: column.length - 1, mean: 1_000_000 };
        expect(extremesAt(at, settings, rounding)).toEqual(extremesOfLast(column));
      }),
    );
  });

  it('are a record and the date when it was last reached', () => {
    const column = [9, 20, ...new Array<number>(12).fill(3), 12];
    expect(extremesOfLast(column)).toEqual([
      { kind: 'highest', window: 'history', rank: 2, compared: 15, last_reached: '2020-01-02' },
      { kind: 'highest', window: '365d', rank: 1, compared: 9, last_reached: '2020-01-02' },
    ]);
  });

  it('do not include a tie: the record of a window is not set again by an equal value', () => {
    const column = [12, ...new Array<number>(12).fill(3), 12];
    expect(extremesOfLast(column)).toEqual([
      { kind: 'highest', window: '365d', rank: 1, compared: 9, last_reached: '2020-01-01' },
    ]);
    expect(extremesOfLast([...column, 12])).toEqual([]);
  });

  it.each([
    ['constant', new Array<number>(40).fill(7), 7],
    ['zero', new Array<number>(40).fill(0), 0],
    ['nearly flat', Array.from({ length: 40 }, (_, i) => 1000 + i / 10), 1002],
    ['flat since the last change', [...new Array<number>(20).fill(5), ...new Array<number>(20).fill(8)], 8],
  ])('are none in a series that is %s', (_what, column, mean) => {
    expect(extremesOfLast(column, mean)).toEqual([]);
  });

  it('are none without a value on the date, or without enough values for a mean of the month', () => {
    expect(extremesOfLast([...new Array<number>(20).fill(1), null])).toEqual([]);
    expect(extremesOfLast([...new Array<number>(20).fill(1), 5], null)).toEqual([]);
  });

  it('need a year of earlier values for a record of all history, and 180 values for one of the year', () => {
    const rising = (days: number): number[] => Array.from({ length: days }, (_, i) => i + 1);
    const windowsAfter = (days: number): string[] =>
      extremesOfLast(rising(days), 1, derived.extremes).map(({ window }) => window);
    expect(windowsAfter(179)).toEqual([]);
    expect(windowsAfter(180)).toEqual(['365d']);
    expect(windowsAfter(365)).toEqual(['365d']);
    expect(windowsAfter(366)).toEqual(['history', '365d']);
  });
});
