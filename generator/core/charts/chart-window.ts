import { addDays, toDate, toDayNumber } from '../../../schemas/dates.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';

/** Width of every chart in SVG units: about twice the pixels of a narrow phone. */
export const WIDTH = 720;
/** Left edge of the first day. */
export const LEFT = 56;
/** Margin to the right of the last day. */
export const RIGHT = 16;

/** The days of a chart as day numbers, from `from` up to but excluding `to`. */
export type ChartWindow = { readonly from: number; readonly to: number };

/** A month whose first day is in the chart. `label` is empty when there is no room for it. */
export type ChartMonth = { readonly day: number; readonly labelDay: number; readonly label: string };

const MONTHS = ['', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Minimum number of days after the start of a month that leave room for its label. */
const LABEL_DAYS = 14;
/** Days between a month's line and its label. */
const LABEL_GAP = 2;

/** Returns the window of days that ends with this date. */
export function toChartWindow(lastDate: string): ChartWindow {
  return { from: toDayNumber(addDays(lastDate, 1 - CHART_DAYS)), to: toDayNumber(lastDate) + 1 };
}

/** Returns the months that begin within a window; January is labelled with the year. */
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
