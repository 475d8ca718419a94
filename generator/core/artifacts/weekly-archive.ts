import { CHAINS } from '../../../schemas/catalog.js';
import { addDays, weekdayOf } from '../../../schemas/dates.js';
import { weeklyArchivePath } from '../../../schemas/paths.js';
import type { Chain, DerivedDay } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import { type FileTemplate, PLAIN_TYPE, textContent } from './artifact.js';
import { WEEK_COLUMNS, WEEK_DAYS, type WeekDay, weekValues } from './week.js';

/** What the archive of a chain is made from. */
export type ArchivedWeeks = {
  /** The days in force of the weeks, ascending. */
  readonly days: readonly WeekDay[];
  /** Returns the derived record of the last day of a week, if it is in force. */
  readonly endOf: (date: string) => DerivedDay | undefined;
  /** The years that may change; all if absent. */
  readonly years?: readonly string[];
};

/**
 * Returns the archive of a chain's weekly summaries: a text for each year of ISO 8601, with its complete weeks. A week is
 * described by its own records, so its text changes only if they do.
 */
export function weeklyArchiveFiles(
  chain: Chain,
  { days, endOf, years }: ArchivedWeeks,
  template: TextTemplate,
): FileTemplate[] {
  const last = days.at(-1)?.date ?? '';
  const byYear = new Map<string, Map<string, WeekDay[]>>();
  for (const day of days) {
    const end = weekEndOf(day.date);
    const year = weekYearOf(end);
    if (end > last || years?.includes(year) === false) continue;
    const weeks = byYear.get(year) ?? new Map<string, WeekDay[]>();
    byYear.set(year, weeks.set(end, [...(weeks.get(end) ?? []), day]));
  }
  return [...byYear].map(([year, weeks]) => ({
    path: weeklyArchivePath(chain, year),
    type: PLAIN_TYPE,
    content: () =>
      textContent(
        template({
          chain: CHAINS[chain].name,
          year,
          rule: '='.repeat(WEEK_COLUMNS),
          weeks: [...weeks].map(([end, its]) => ({
            title: `Week ${weekOf(end)}, ${addDays(end, 1 - WEEK_DAYS)} to ${end}`,
            rule: '-'.repeat(WEEK_COLUMNS),
            ...weekValues({ chain, days: its, end: endOf(end) }),
          })),
        }),
      ),
  }));
}

/** Returns the newest year whose archive has one of these dates in a complete week; empty if there is none. */
export function newestArchiveOf(days: readonly { readonly date: string }[]): string[] {
  const end = days.findLast(({ date }) => isWeekEnd(date));
  return end === undefined ? [] : [weekYearOf(end.date)];
}

/** Returns whether a date is the last of its week: a Sunday. */
export function isWeekEnd(date: string): boolean {
  return weekdayOf(date) === 'Sun';
}

/** Returns the last date of the week of a date. */
export function weekEndOf(date: string): string {
  const ahead = Array.from({ length: WEEK_DAYS }, (_, days) => addDays(date, days));
  return ahead.find(isWeekEnd) ?? date;
}

/** Returns the ISO 8601 year of the week that ends on a Sunday: the year of its Thursday. */
export function weekYearOf(end: string): string {
  return addDays(end, -3).slice(0, 4);
}

/** Returns the first date of the weeks of a year of ISO 8601. */
export function firstDateOfYear(year: string): string {
  return addDays(weekEndOf(`${year}-01-04`), 1 - WEEK_DAYS); // the fourth of January is in the first week
}

/** Returns the name of the week that ends on a Sunday: `2024-W17`. */
function weekOf(end: string): string {
  const year = weekYearOf(end);
  const before = Array.from({ length: 53 }, (_, weeks) => addDays(end, -WEEK_DAYS * weeks));
  const week = before.filter((each) => weekYearOf(each) === year).length;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
