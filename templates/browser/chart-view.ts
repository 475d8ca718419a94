import { type ChartSeries, lastDayOf } from '../../generator/core/charts/chart-series.js';
import { type ChartWindow, windowOf, windowWords } from '../../generator/core/charts/scenes.js';
import { dayWords } from '../../schemas/words.js';
import { wholeDaysBetween } from '../../schemas/dates.js';

/** The ranges that have a button, in days before the last one. */
export const RANGES = [
  { name: '90 days', days: 90 },
  { name: '1 year', days: 365 },
  { name: '2 years', days: 730 },
  { name: 'All', days: Infinity },
] as const;

/** The range that a chart begins with: that of the chart without the script. */
export const FIRST_RANGE = 2;
/** Least number of days of a zoomed chart. */
export const MIN_ZOOM_DAYS = 7;

/** Maximum number of days without data at the end of a chart, to leave room for the data of a chain that ended long ago. */
const MAX_TAIL_DAYS = 30;

/** The first and the last day that a chart can show. */
export type Limits = { readonly first: number; readonly last: number };

type Extent = Pick<ChartSeries, 'first' | 'days'>;

/**
 * Returns the days that a chart of some chains can show at a time. If all of them are stale, it also shows the days without
 * data, up to the last full one.
 */
export function limitsOf(all: readonly Extent[], isStale: boolean, nowMs: number): Limits {
  const newest = newestDayOf(all);
  const lastFull = wholeDaysBetween(0, nowMs) - 1;
  return {
    first: Math.min(...all.map(({ first }) => first)),
    last: isStale ? Math.max(newest, Math.min(lastFull, newest + MAX_TAIL_DAYS)) : newest,
  };
}

/** Returns whether all instants of a text, with spaces between them, have passed at a time. */
export function havePassed(instants: string, nowMs: number): boolean {
  return instants.split(' ').every((instant) => instant === '' || nowMs >= Date.parse(instant));
}

/** Returns the newest day for which any of some chains has data. */
export function newestDayOf(all: readonly Extent[]): number {
  return Math.max(...all.map(lastDayOf));
}

/**
 * Returns the day to show while none is chosen: the newest day with data in the window, or the last day of a window
 * without data. `newest` is the newest day with data in the chart.
 */
export function restingDay({ from, to }: ChartWindow, newest: number): number {
  return newest >= from ? Math.min(newest, to - 1) : to - 1;
}

/** Returns the days of a window in words, and where the data ends if it ends before the window. */
export function rangeWords(window: ChartWindow, newest: number): string {
  const ending = newest < window.to - 1 ? `, data through ${dayWords(newest)}` : '';
  return windowWords(window) + ending;
}

/** Returns the window of a range. */
export function rangeWindow({ first, last }: Limits, days: number): ChartWindow {
  return windowOf(first, last, days);
}

/** Returns the day at a position of a window: a share of its width. */
export function dayAt(share: number, { from, to }: ChartWindow): number {
  return Math.min(to - 1, Math.max(from, Math.floor(from + share * (to - from))));
}

/** Returns the window from one day to another, in any order: at least a week, within the limits. */
export function zoomWindow(one: number, other: number, limits: Limits): ChartWindow {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const lacking = Math.max(0, MIN_ZOOM_DAYS - (high - low + 1));
  const from = low - Math.floor(lacking / 2);
  return within({ from, to: high + 1 + Math.ceil(lacking / 2) }, limits);
}

/** Returns a window that shows `factor` times as many days around a day. */
export function zoomAround(window: ChartWindow, day: number, factor: number, limits: Limits): ChartWindow {
  const size = Math.max(MIN_ZOOM_DAYS, Math.round((window.to - window.from) * factor));
  const share = (day - window.from) / (window.to - window.from);
  const from = Math.min(day, Math.max(day + 1 - size, Math.round(day - share * size)));
  return within({ from, to: from + size }, limits);
}

/** Returns a window moved by a number of days, within the limits. */
export function shiftWindow({ from, to }: ChartWindow, days: number, limits: Limits): ChartWindow {
  return within({ from: from + days, to: to + days }, limits);
}

/** Returns the window moved just so far that it contains a day. */
export function follow(window: ChartWindow, day: number): ChartWindow {
  const shift = Math.min(0, day - window.from) + Math.max(0, day + 1 - window.to);
  return shift === 0 ? window : { from: window.from + shift, to: window.to + shift };
}

/** Returns the day that a key leads to from `day`; undefined for other keys. */
export function dayAfterKey(
  key: string,
  day: number,
  window: ChartWindow,
  limits: Limits,
): number | undefined {
  const days: Readonly<Record<string, number>> = {
    ArrowLeft: day - 1,
    ArrowDown: day - 1,
    ArrowRight: day + 1,
    ArrowUp: day + 1,
    PageDown: day - 30,
    PageUp: day + 30,
    Home: window.from,
    End: window.to - 1,
  };
  const next = days[key];
  return next === undefined ? undefined : Math.min(limits.last, Math.max(limits.first, next));
}

/** Moves a window between the limits. One that is longer than they are apart becomes as long as they are, but at least a week. */
function within({ from, to }: ChartWindow, { first, last }: Limits): ChartWindow {
  const size = Math.min(to - from, Math.max(MIN_ZOOM_DAYS, last + 1 - first));
  const start = Math.max(Math.min(from, last + 1 - size), Math.min(first, last + 1 - size));
  return { from: start, to: Math.min(start + size, last + 1) };
}
