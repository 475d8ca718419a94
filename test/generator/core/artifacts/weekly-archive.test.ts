import { toWeekDay, WEEK_COLUMNS } from '../../../../generator/core/artifacts/week.js';
import {
  firstDateOfYear,
  weeklyArchiveFiles,
  weekYearOf,
} from '../../../../generator/core/artifacts/weekly-archive.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { addDays } from '../../../../schemas/dates.js';
import { weeklyArchivePath } from '../../../../schemas/paths.js';
import type { Chain, DerivedDay } from '../../../../schemas/types.generated.js';
import { randomSeries } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };

/** Returns the archive of a random chain by path, up to day `last`. */
function archiveOf(chain: Chain, last: number, years?: readonly string[]): Map<string, string> {
  const series = randomSeries({ chain, seed: 5, days: 800, missingCells: 0.02 });
  const { meta, write } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates[last] ?? '' };
  const days = Array.from({ length: last + 1 }, (_, t) => toWeekDay(meta(t, provenance)));
  const endOf = (date: string): DerivedDay =>
    write('derived-day/1', series.dates.indexOf(date), provenance) as DerivedDay;
  const weeks = { days, endOf, ...(years ? { years } : {}) };
  const files = weeklyArchiveFiles(chain, weeks, texts.weeklyArchive);
  return new Map(files.map((file) => [file.path, file.content(STAMP).text]));
}

it.each([
  ['2021-01-03', '2020', '53'],
  ['2021-01-10', '2021', '01'],
  ['2022-01-02', '2021', '52'],
  ['2027-01-03', '2026', '53'],
])('the week that ends on %s belongs to %s', (end, year) => {
  expect(weekYearOf(end)).toBe(year);
  expect(firstDateOfYear(year) <= addDays(end, -6)).toBe(true);
  expect(weekYearOf(addDays(firstDateOfYear(year), 6))).toBe(year);
  expect(weekYearOf(addDays(firstDateOfYear(year), -1))).toBe(String(Number(year) - 1));
});

describe('the archive of weekly summaries', () => {
  it('has each complete week once, in order, in the year of ISO 8601, within 72 columns', () => {
    for (const chain of CHAIN_IDS) {
      const archive = archiveOf(chain, 799);
      const weeks = [...archive].flatMap(([path, text]) => {
        expect(text).toMatch(/^[\x20-\x7e\n]+\n$/);
        expect(text).not.toMatch(/ \n|\n\n\n|undefined|NaN|null|\[object|due|published/i);
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(WEEK_COLUMNS);
        const titles = [...text.matchAll(/^Week (\d{4})-W(\d\d), (\S+) to (\S+)$/gm)];
        for (const [, year = ''] of titles) expect(path).toBe(weeklyArchivePath(chain, year));
        return titles.map(([, , week, first = '', last = '']) => ({ week, first, last }));
      });
      expect(weeks.length).toBeGreaterThan(110);
      for (const [i, { week, first, last }] of weeks.entries()) {
        expect(last).toBe(addDays(first, 6));
        if (i > 0) expect(first).toBe(addDays(weeks[i - 1]?.last ?? '', 1));
        if (first === firstDateOfYear(weekYearOf(last))) expect(week).toBe('01');
      }
    }
  });

  it('does not change a week that it has when later days come', () => {
    const [early, late] = [archiveOf('bitcoin', 700), archiveOf('bitcoin', 799)];
    expect(early.size).toBeGreaterThan(1);
    for (const [path, text] of early) {
      const own = text.slice(0, text.lastIndexOf('\n\nThese summaries'));
      expect(late.get(path)?.startsWith(own)).toBe(true);
    }
  });

  it('changes only when a week is complete', () => {
    const texts = Array.from({ length: 15 }, (_, i) => JSON.stringify([...archiveOf('base', 60 + i)]));
    expect(new Set(texts).size).toBe(3);
  });

  it('gives the years that were asked for', () => {
    const [first = '', second = ''] = [...archiveOf('base', 799).keys()];
    expect([...archiveOf('base', 799, [second.slice(-4)]).keys()]).toEqual([second]);
    expect(first).not.toBe(second);
    expect(archiveOf('base', 799, []).size).toBe(0);
  });
});
