import fc from 'fast-check';
import { toChart } from '../../../generator/core/artifacts/chart-data.js';
import { toSeries } from '../../../generator/core/charts/chart-series.js';
import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { chartDays } from '../../support/release/chart-days.js';
import {
  dayAfterKey,
  dayAt,
  follow,
  havePassed,
  limitsOf,
  RANGES,
  rangeWindow,
  rangeWords,
  restingDay,
  zoomAround,
  zoomWindow,
} from '../../../templates/browser/chart-view.js';

const LIMITS = { first: 1000, last: 1999 };
const ALL = { from: 1000, to: 2000 };

const FIRST = toDayNumber('2025-03-01');
const LAST = FIRST + 59;
const SERIES = toSeries(toChart('bitcoin', chartDays(60), currentMethodology(), ''));
/** Returns noon of the day that is `days` days after the last one with data. */
const noonAfter = (days: number): number => endOfDayMs(LAST + days) - 43_200_000;

it.each([
  ['the last day with data while it is not stale', false, 10, 0],
  ['the last full day once it is stale', true, 10, 9],
  ['a month without data, and no more', true, 400, 30],
  ['the last day with data by a clock that is behind', true, -5, 0],
])('ends with %s', (_what, isStale, days, tail) => {
  expect(limitsOf([SERIES], isStale, noonAfter(days))).toEqual({ first: FIRST, last: LAST + tail });
});

it('begins and ends with the first and the newest day of several chains', () => {
  const longer = toSeries(toChart('base', chartDays(69), currentMethodology(), ''));
  expect(limitsOf([longer, SERIES], false, noonAfter(10))).toEqual({ first: FIRST, last: LAST + 9 });
});

it('is stale once every instant has passed', () => {
  const [one, other] = ['2025-05-03T00:00:00Z', '2025-05-05T00:00:00Z'];
  const passed = (text: string, at: string): boolean => havePassed(text, Date.parse(at));
  expect(passed(`${one} ${other}`, '2025-05-04T00:00:00Z')).toBe(false);
  expect(passed(`${one} ${other}`, other)).toBe(true);
  expect(passed(one, '2025-05-02T23:59:59Z')).toBe(false);
  expect(passed('', one)).toBe(true); // no date was ever available
});

it('says where the data ends if that is within the window', () => {
  expect(rangeWords({ from: FIRST, to: LAST + 10 }, LAST)).toBe(
    '1 March 2025 to 8 May 2025, data through 29 April 2025',
  );
  expect(rangeWords({ from: FIRST, to: LAST + 1 }, LAST)).toBe('1 March 2025 to 29 April 2025');
});

it('shows the newest day with data, or the last of a window without data, while no day is chosen', () => {
  const read = (from: number, to: number): number => restingDay({ from, to }, 1960);
  expect([read(1900, 2000), read(1900, 1950), read(1970, 2000)]).toEqual([1960, 1949, 1999]);
});

it('shows the last days of a range, or all', () => {
  expect(RANGES.map(({ days }) => rangeWindow(LIMITS, days))).toEqual([
    { from: 1910, to: 2000 },
    { from: 1635, to: 2000 },
    { from: 1270, to: 2000 },
    ALL,
  ]);
});

it('shows two weeks for a chain with one day', () => {
  expect(rangeWindow({ first: 5, last: 5 }, Infinity)).toEqual({ from: -8, to: 6 });
});

it('finds the day at a position, also at both edges', () => {
  expect([0, 0.0015, 0.5, 1].map((share) => dayAt(share, ALL))).toEqual([1000, 1001, 1500, 1999]);
});

it('zooms to the days between two, in any order, and to a week at least', () => {
  expect(zoomWindow(1200, 1300, LIMITS)).toEqual({ from: 1200, to: 1301 });
  expect(zoomWindow(1300, 1200, LIMITS)).toEqual({ from: 1200, to: 1301 });
  expect(zoomWindow(1300, 1301, LIMITS)).toEqual({ from: 1298, to: 1305 });
  expect(zoomWindow(1999, 1999, LIMITS)).toEqual({ from: 1993, to: 2000 });
});

it('zooms in and out around a day that stays where it is', () => {
  expect(zoomAround(ALL, 1500, 0.5, LIMITS)).toEqual({ from: 1250, to: 1750 });
  expect(zoomAround({ from: 1250, to: 1750 }, 1500, 2, LIMITS)).toEqual(ALL);
  expect(zoomAround(ALL, 1500, 2, LIMITS).to).toBe(2000);
});

it('never leaves the limits, and always contains the day it zooms around', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 1999 }),
      fc.integer({ min: 1000, max: 1999 }),
      fc.constantFrom(0.25, 0.5),
      (one, other, factor) => {
        const zoomed = zoomWindow(one, other, LIMITS);
        const closer = zoomAround(zoomed, one, factor, LIMITS);
        for (const { from, to } of [zoomed, closer]) {
          expect(from).toBeGreaterThanOrEqual(LIMITS.first);
          expect(to).toBeLessThanOrEqual(LIMITS.last + 1);
          expect(to - from).toBeGreaterThanOrEqual(7);
          expect(one >= from && one < to).toBe(true);
        }
      },
    ),
  );
});

it('moves by keys, within the limits, and ignores other keys', () => {
  const move = (key: string, day: number): number | undefined => dayAfterKey(key, day, ALL, LIMITS);
  expect(move('ArrowLeft', 1500)).toBe(1499);
  expect(move('ArrowRight', 1999)).toBe(1999);
  expect(move('PageDown', 1010)).toBe(1000);
  expect([move('Home', 1500), move('End', 1500)]).toEqual([1000, 1999]);
  expect([move('Tab', 1500), move('a', 1500)]).toEqual([undefined, undefined]);
});

it('follows a day just so far that it is shown', () => {
  const window = { from: 1200, to: 1300 };
  expect(follow(window, 1250)).toBe(window);
  expect(follow(window, 1199)).toEqual({ from: 1199, to: 1299 });
  expect(follow(window, 1302)).toEqual({ from: 1203, to: 1303 });
});
