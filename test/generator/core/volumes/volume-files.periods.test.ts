import { addDays } from '../../../../schemas/dates.js';
import { closedPeriods } from '../../../../generator/core/volumes/volume-files.js';

/** Ids of the periods that are closed on the day after the last date. */
const idsOf = (first: string, through: string, settlingDays?: number): string[] =>
  closedPeriods({ first, through, settlingDays, revision: `${addDays(through, 1)}.000001` }).map(
    ({ id }) => id,
  );

it('closed years are whole, and closed months of the year after them are single', () => {
  expect(idsOf('2021-03-05', '2023-04-20')).toEqual(['2021', '2022', '2023-01', '2023-02', '2023-03']);
});

it('the first period begins with the history', () => {
  expect(
    closedPeriods({ first: '2024-02-10', through: '2024-03-31', revision: '2024-04-01.000001' }),
  ).toEqual([{ id: '2024-02', first: '2024-02-10', last: '2024-02-29' }]);
});

it('a period is closed once its last date has settled, after seven days if the source does not say', () => {
  expect(idsOf('2024-02-10', '2024-03-06')).toEqual([]);
  expect(idsOf('2024-02-10', '2024-03-07')).toEqual(['2024-02']);
  expect(idsOf('2024-02-10', '2024-03-02', 3)).toEqual([]);
  expect(idsOf('2024-02-10', '2024-03-03', 3)).toEqual(['2024-02']);
});

it('the year replaces its months when December has settled', () => {
  expect(idsOf('2022-11-01', '2023-01-06')).toEqual(['2022-11']);
  expect(idsOf('2022-11-01', '2023-01-07')).toEqual(['2022']);
});

it('the last period of a source that has ended closes when it has settled', () => {
  const ended = { first: '2024-11-01', through: '2024-12-31', settlingDays: 7 };
  const idsIn = (revision: string): string[] => closedPeriods({ ...ended, revision }).map(({ id }) => id);
  expect(idsIn('2025-01-07.000003')).toEqual(['2024-11']);
  expect(idsIn('2025-01-08.000001')).toEqual(['2024']);
  expect(idsIn('2026-06-01.000001')).toEqual(['2024']);
});

it('a period that was closed before stays closed, unless its last date is no longer published', () => {
  const longer = { first: '2024-11-01', settlingDays: 30, revision: '2025-01-10.000001', closed: ['2024'] };
  const idsOfAll = (through: string): string[] => closedPeriods({ ...longer, through }).map(({ id }) => id);
  expect(idsOfAll('2025-01-09')).toEqual(['2024']);
  expect(idsOfAll('2024-12-30')).toEqual(['2024-11']);
});

it('a period whose last date is not published stays open, however late it is', () => {
  const history = { first: '2024-11-01', through: '2024-12-30', revision: '2026-06-01.000001' };
  expect(closedPeriods(history).map(({ id }) => id)).toEqual(['2024-11']);
});
