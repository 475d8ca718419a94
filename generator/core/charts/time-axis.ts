import { toDate, toDayNumber } from '../../../schemas/dates.js';
import { dayWords, monthLetters } from '../text/date-words.js';
import { verticalLine, type Mark } from './scene.js';

/** The days of a chart as day numbers, from `from` up to but excluding `to`. */
export type ChartWindow = { readonly from: number; readonly to: number };

/** A labelled day of a time axis. */
type Tick = { readonly day: number; readonly label: string };

/** Height of the labels below a chart, in pixels. */
export const TIME_HEIGHT = 24;
/** Width that a label needs, in pixels. */
const LABEL_WIDTH = 44;
/** Width that charts without a script are drawn for, in pixels: they must be readable on a phone. */
export const NARROW = 320;
/** Width that charts in files are drawn for, in pixels. */
export const FILE_LABELS_WIDTH = 920;
/** Least number of days that a chart shows, so that a chain's first days do not fill it. */
const MIN_DAYS = 14;
/** Steps of the axis in months. */
const MONTH_STEPS = [1, 3, 6, 12, 24, 60] as const;
/** Steps of the axis in days, for short windows. */
const DAY_STEPS = [1, 2, 7, 14] as const;

/** Returns the window of `days` days that ends with `last`, but not before `first` unless the window is very short. */
export function windowOf(first: number, last: number, days: number): ChartWindow {
  const from = Math.max(first, last - days + 1);
  return { from: Math.min(from, last - MIN_DAYS + 1), to: last + 1 };
}

/** Returns the days of a window in words. */
export function windowWords({ from, to }: ChartWindow): string {
  return `${dayWords(from)} to ${dayWords(to - 1)}`;
}

/** Returns the position of the start of a day in a window, as a share of its width. */
export function shareOf(day: number, { from, to }: ChartWindow): number {
  return (day - from) / (to - from);
}

/** Returns the labelled days of a window that is `width` pixels wide: as many as fit, at the start of days, months or years. */
function ticksOf(window: ChartWindow, width: number): Tick[] {
  const most = Math.max(2, Math.floor(width / LABEL_WIDTH));
  const days = window.to - window.from;
  const dayStep = days <= 62 ? DAY_STEPS.find((step) => days / step <= most) : undefined;
  const ticks = dayStep === undefined ? monthTicks(window, most) : dayTicks(window, dayStep);
  const isClear = ({ day }: Tick): boolean => shareOf(day, window) * width <= width - LABEL_WIDTH * 0.75;
  return ticks.filter(isClear);
}

function dayTicks({ from, to }: ChartWindow, step: number): Tick[] {
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => {
    const day = first + i * step;
    const [, month, date] = toDate(day).split('-');
    return { day, label: `${Number(date)} ${monthLetters(Number(month))}` };
  });
}

function monthTicks({ from, to }: ChartWindow, most: number): Tick[] {
  const months = (to - from) / 30.4;
  const step = MONTH_STEPS.find((each) => months / each <= most) ?? 120;
  const [startYear = 0, startMonth = 1] = toDate(from).split('-').map(Number);
  const ticks: Tick[] = [];
  for (let month = startYear * 12 + startMonth - 1; ; month += 1) {
    const [year, inYear] = [Math.floor(month / 12), (month % 12) + 1];
    const isOnStep = step < 12 ? month % step === 0 : inYear === 1 && year % (step / 12) === 0;
    const day = toDayNumber(`${String(year).padStart(4, '0')}-${String(inYear).padStart(2, '0')}-01`);
    if (day >= to) return ticks;
    if (isOnStep && day >= from)
      ticks.push({ day, label: inYear === 1 ? String(year) : monthLetters(inYear) });
  }
}

/** Draws the lines of the ticks from `top` to `bottom`, with their labels below. */
export function timeMarks(
  window: ChartWindow,
  width: number,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): Mark[] {
  return ticksOf(window, width).flatMap(({ day, label }): Mark[] => {
    const x = shareOf(day, window);
    return [
      verticalLine(x, top, bottom + 6, 'tick'),
      { kind: 'text', x, dx: 3, y: bottom + 17, anchor: 'start', text: label, style: 'time' },
    ];
  });
}
