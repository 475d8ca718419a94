import { addDays, toDate, toDayNumber } from '../../../schemas/dates.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';

/** The width of every chart; its narrowest picture, 360 pixels wide, shows two units a pixel. */
export const WIDTH = 720;
/** Where the days begin. */
export const LEFT = 56;
/** How far from the right edge they end. */
export const RIGHT = 16;

/** The days of a chart, as day numbers: from `from` on, and before `to`. */
export type ChartWindow = { readonly from: number; readonly to: number };

/** A month whose first day a chart shows. `label` is empty where there is no room for it. */
export type ChartMonth = { readonly day: number; readonly labelDay: number; readonly label: string };

const MONTHS = ['', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Days that a month's label takes at most, without those for which the right edge has room. */
const LABEL_DAYS = 14;
/** Days between a month's line and its label. */
const LABEL_GAP = 2;

/** The days that end with this date. */
export function toChartWindow(lastDate: string): ChartWindow {
  return { from: toDayNumber(addDays(lastDate, 1 - CHART_DAYS)), to: toDayNumber(lastDate) + 1 };
}

/** The months that begin within a chart; a January is called by its year. */
export function monthsOf({ from, to }: ChartWindow): ChartMonth[] {
  const days = Array.from({ length: to - from }, (_, i) => from + i);
  return days
    .map((day) => ({ day, date: toDate(day) }))
    .filter(({ date }) => date.endsWith('-01'))
    .map(({ day, date }) => {
      const [year = '', month = ''] = date.split('-');
      const name = MONTHS[Number(month) - 1] || year;
      return { day, labelDay: day + LABEL_GAP, label: day + LABEL_DAYS <= to ? name : '' };
    });
}
