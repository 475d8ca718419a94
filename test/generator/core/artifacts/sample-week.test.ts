import fc from 'fast-check';
import { sampleChainOf, sampleWeek } from '../../../../generator/core/artifacts/sample-week.js';
import { addDays, toDate, toDayNumber, weekdayOf } from '../../../../schemas/dates.js';

describe('the week of the sample', () => {
  it.each([
    ['the last one of the latest year that is over', '2009-01-03', '2026-11-27', '2025-12-22', '2025-12-28'],
    ['of the year that ends with the history', '2009-01-03', '2023-12-31', '2023-12-25', '2023-12-31'],
    ['of the year before, a day earlier', '2009-01-03', '2023-12-30', '2022-12-19', '2022-12-25'],
    [
      'the first whole one of a history within a year',
      '2023-01-01',
      '2023-09-26',
      '2023-01-02',
      '2023-01-08',
    ],
    ['the first day on, if that is a Monday', '2023-01-02', '2023-01-08', '2023-01-02', '2023-01-08'],
    ['the first one if the end of the year has none', '2022-12-28', '2023-02-01', '2023-01-02', '2023-01-08'],
  ])('is %s', (_rule, first, last, monday, sunday) => {
    expect(sampleWeek(first, last)).toEqual({ first: monday, last: sunday });
  });

  it('is none of a history without a whole week', () => {
    expect(sampleWeek('2023-01-01', '2023-01-07')).toBeUndefined();
    expect(sampleWeek('2023-01-03', '2023-01-14')).toBeUndefined();
  });

  it('is a whole week of the history, and changes only when a year ends or the first week is complete', () => {
    const start = toDayNumber('2009-01-03');
    fc.assert(
      fc.property(fc.nat(6_000), fc.nat(1_500), (from, days) => {
        const [first, last] = [toDate(start + from), toDate(start + from + days)];
        const week = sampleWeek(first, last);
        const next = sampleWeek(first, addDays(last, 1));
        if (week === undefined) return;
        expect([weekdayOf(week.first), addDays(week.first, 6)]).toEqual(['Mon', week.last]);
        expect(first <= week.first && week.last <= last).toBe(true);
        if (!addDays(last, 1).endsWith('-12-31')) expect(next).toEqual(week);
      }),
    );
  });
});

describe('the chain of the sample', () => {
  it('is ethereum, or else the first that the store lists', () => {
    expect(sampleChainOf(['bitcoin', 'ethereum'])).toBe('ethereum');
    expect(sampleChainOf(['base', 'arbitrum'])).toBe('arbitrum');
    expect(sampleChainOf([])).toBeUndefined();
  });
});
