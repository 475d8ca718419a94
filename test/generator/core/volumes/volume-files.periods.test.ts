import { closedPeriods } from '../../../../generator/core/volumes/volume-files.js';

const idsOf = (first: string, through: string, settlingDays?: number): string[] =>
  closedPeriods(first, through, settlingDays).map(({ id }) => id);

it('closed years are whole, and closed months of the year after them are single', () => {
  expect(idsOf('2021-03-05', '2023-04-20')).toEqual(['2021', '2022', '2023-01', '2023-02', '2023-03']);
});

it('the first period begins with the history', () => {
  expect(closedPeriods('2024-02-10', '2024-03-31')).toEqual([
    { id: '2024-02', first: '2024-02-10', last: '2024-02-29' },
  ]);
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
