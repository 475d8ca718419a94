import { CHAINS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import type { Chain, Chart, RegimeLabel } from '../../../schemas/types.generated.js';
import { dayWords, monthLetters, withMinusSigns } from '../../../schemas/words.js';
import type { ChartSeries, Run } from './chart-series.js';
import type { Paint, TextStyle } from './chart-style.js';

/**
 * A part of a chart. Horizontal positions are shares of the chart's width, from 0 to 1, so that a chart fills any width;
 * everything else is in pixels, so that text keeps its size.
 */
export type Mark =
  | {
      readonly kind: 'bar';
      readonly from: number;
      readonly to: number;
      readonly top: number;
      readonly height: number;
      readonly paint: Paint;
      readonly title?: string;
    }
  | {
      /** Bars of one label in a row: a single part, because a browser draws hundreds of them with every frame. */
      readonly kind: 'bars';
      readonly spans: readonly (readonly [from: number, to: number])[];
      readonly top: number;
      readonly height: number;
      readonly paint: RegimeLabel;
      /** Set for the background of a line. */
      readonly isFaint: boolean;
    }
  | {
      readonly kind: 'segment';
      readonly from: number;
      readonly to: number;
      readonly top: number;
      readonly bottom: number;
      readonly paint: Paint;
    }
  | {
      readonly kind: 'line';
      readonly top: number;
      readonly height: number;
      /** Points from left to right; null breaks the line. */
      readonly points: readonly (readonly [x: number, y: number] | null)[];
      readonly paint: Paint;
    }
  | {
      readonly kind: 'text';
      readonly x: number;
      /** Shift to the right, in pixels. */
      readonly dx: number;
      readonly y: number;
      readonly anchor: 'start' | 'middle' | 'end';
      readonly text: string;
      readonly style: TextStyle;
    };

/** A drawn chart: its height in pixels and its parts, from back to front. */
export type Scene = {
  readonly height: number;
  readonly marks: readonly Mark[];
  /** Width of the space to the left of the chart for the numbers of its axis, in pixels. Default: 0. */
  readonly gutter?: number;
};

/** Returns a vertical line. */
export function verticalLine(x: number, top: number, bottom: number, paint: Paint): Mark {
  return { kind: 'segment', from: x, to: x, top, bottom, paint };
}

/** Returns a horizontal line over the whole width. */
export function horizontalLine(y: number, paint: Paint): Mark {
  return { kind: 'segment', from: 0, to: 1, top: y, bottom: y, paint };
}

/** Returns a text that begins at the left edge, or `dx` pixels to the right of it. */
export function textAtLeft(text: string, y: number, style: TextStyle, dx = 0): Mark {
  return { kind: 'text', x: 0, dx, y, anchor: 'start', text, style };
}

/** Returns the lines of a text, each of at most so many characters. A word that is longer than a line, such as an address, is cut. */
export function toLines(text: string, characters: number): string[] {
  const words = text.match(new RegExp(`\\S{1,${characters}}\\s*`, 'gu')) ?? [];
  const lines = words.reduce<string[]>((done, word) => {
    const line = done.at(-1);
    const isFull = line === undefined || (line + word).trimEnd().length > characters;
    return isFull ? [...done, word] : [...done.slice(0, -1), line + word];
  }, []);
  return lines.length === 0 ? [''] : lines.map((line) => line.trimEnd());
}

/** Returns a text that ends at the right edge. */
function textAtRight(text: string, y: number, style: TextStyle): Mark {
  return { kind: 'text', x: 1, dx: 0, y, anchor: 'end', text, style };
}

/** Returns marks moved down by a number of pixels. */
export function moveDown(marks: readonly Mark[], by: number): Mark[] {
  return marks.map((mark): Mark => {
    if (mark.kind === 'text') return { ...mark, y: mark.y + by };
    if (mark.kind === 'segment') return { ...mark, top: mark.top + by, bottom: mark.bottom + by };
    return { ...mark, top: mark.top + by };
  });
}

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

/** Height of a ribbon, in pixels. */
const RIBBON_HEIGHT = 26;

/**
 * Draws the runs of a chain within a window, in a frame from its first day to the end of the window. Days without a regime
 * are hatched: indeterminate ones, gaps between runs, and the days after the last run.
 */
function ribbonMarks(runs: readonly Run[], window: ChartWindow, top: number): Mark[] {
  const first = runs[0];
  if (first === undefined || first.from >= window.to) return [];
  const box = { top, height: RIBBON_HEIGHT } as const;
  const bars = withGaps(runs, window.to).flatMap(({ label, from, to }): Mark[] => {
    const visible = { from: Math.max(from, window.from), to: Math.min(to, window.to) };
    if (visible.from >= visible.to) return [];
    const title = `${label ?? 'no data'}, ${daysWords(from, to)}`;
    const place = { from: shareOf(visible.from, window), to: shareOf(visible.to, window) };
    return [{ kind: 'bar', ...place, ...box, paint: label ?? 'indeterminate', title }];
  });
  const start = Math.max(first.from, window.from);
  return [...bars, { kind: 'bar', from: shareOf(start, window), to: 1, ...box, paint: 'frame' }];
}

function withGaps(runs: readonly Run[], end: number): (Omit<Run, 'label'> & { label?: RegimeLabel })[] {
  return runs.flatMap((run, i) => {
    const next = runs[i + 1]?.from ?? end;
    return next > run.to ? [run, { from: run.to, to: next }] : [run];
  });
}

function daysWords(from: number, to: number): string {
  return to - from === 1 ? dayWords(from) : `${dayWords(from)} to ${dayWords(to - 1)}`;
}

/** The z axis reaches at least this far beyond the thresholds, so that small changes in an uneventful year do not look large. */
const BEYOND = 0.5;
const PANEL_HEIGHT = 112;
const PANEL_HEAD = 26;
/** Where the words about the levels begin, after the name of the axis, in pixels. */
const LEVELS_LEFT = 76;
/** Height of a panel with its head, in pixels. */
const PANEL_ROW = PANEL_HEAD + PANEL_HEIGHT;

type Axis = 'demand' | 'pressure';

/** Names of the axes. */
export const AXIS_NAMES: Readonly<Record<Axis, string>> = { demand: 'Demand', pressure: 'Pressure' };

/** Options for `panelMarks`. */
type PanelOptions = {
  readonly series: Pick<ChartSeries, 'first' | 'days'>;
  readonly axis: Axis;
  readonly thresholds: Chart['thresholds'];
  readonly window: ChartWindow;
  readonly top: number;
};

/** Draws the line of an axis. The thresholds of its levels are named above it: words on the lines would cover values. */
export function panelMarks({ series, axis, thresholds, window, top }: PanelOptions): Mark[] {
  const { enter, exit } = thresholds;
  const days = Array.from({ length: window.to - window.from }, (_, i) => window.from + i);
  const values = days.map((day) => series.days[day - series.first]?.[axis] ?? null);
  const [low, high] = rangeOf(values, enter);
  const toY = (z: number): number => (PANEL_HEIGHT * (high - z)) / (high - low);
  const bodyTop = top + PANEL_HEAD;
  const levels = withMinusSigns(`high above ${enter}, low below ${-enter}`);
  const rule = (z: number, paint: 'enter' | 'exit' | 'zero'): Mark => horizontalLine(bodyTop + toY(z), paint);
  const points = values.map((z, i) =>
    z === null ? null : ([shareOf(window.from + i + 0.5, window), toY(z)] as const),
  );
  return [
    textAtLeft(AXIS_NAMES[axis], top + 16, `${axis}-name`),
    textAtLeft(levels, top + 16, 'threshold', LEVELS_LEFT),
    textAtRight(withMinusSigns(`normal again between ${-exit} and ${exit}`), top + 16, 'note'),
    rule(0, 'zero'),
    ...[exit, -exit].map((z) => rule(z, 'exit')),
    ...[enter, -enter].map((z) => rule(z, 'enter')),
    { kind: 'line', top: bodyTop, height: PANEL_HEIGHT, points, paint: axis },
  ];
}

/** Returns the lowest and the highest z of a panel: all values, and some room beyond the thresholds. */
function rangeOf(values: readonly (number | null)[], enter: number): [low: number, high: number] {
  const reach = enter + BEYOND;
  return values.reduce<[number, number]>(
    ([low, high], z) => [Math.min(low, (z ?? 0) - BEYOND / 4), Math.max(high, (z ?? 0) + BEYOND / 4)],
    [-reach, reach],
  );
}

const SCENE_HEAD = 24;
const GAP = 10;
const DEMAND_TOP = SCENE_HEAD + RIBBON_HEIGHT + GAP;
const PRESSURE_TOP = DEMAND_TOP + PANEL_ROW + GAP;
const BOTTOM = PRESSURE_TOP + PANEL_ROW;

/** Height of the chart of a chain, in pixels. */
const CHAIN_HEIGHT = BOTTOM + TIME_HEIGHT;

/** Options for `chainScene`. */
type ChainSceneOptions = {
  readonly series: ChartSeries;
  readonly window: ChartWindow;
  /** The words above the ribbon, at its right end. */
  readonly state: string;
  /** The width for which the time axis is labelled, in pixels. */
  readonly width: number;
};

/** Draws a chain: the ribbon of its regimes, and below it both axes with their thresholds. */
export function chainScene({ series, window, state, width }: ChainSceneOptions): Scene {
  const { thresholds } = series;
  const shared = { series, thresholds, window };
  return {
    height: CHAIN_HEIGHT,
    marks: [
      ...timeMarks(window, width, { top: SCENE_HEAD, bottom: BOTTOM }),
      textAtLeft('Regime', 16, 'name'),
      textAtRight(state, 16, 'state'),
      ...moveDown(ribbonMarks(series.runs, window, 0), SCENE_HEAD),
      ...panelMarks({ ...shared, axis: 'demand', top: DEMAND_TOP }),
      ...panelMarks({ ...shared, axis: 'pressure', top: PRESSURE_TOP }),
    ],
  };
}

const ROW = SCENE_HEAD + RIBBON_HEIGHT + 12;

/** A chain in the overview. */
export type OverviewRow = {
  readonly chain: Chain;
  readonly runs: readonly Run[];
  /** The words above the ribbon, at its right end. */
  readonly state: string;
};

/** Returns the height of the overview of a number of chains, in pixels. */
function overviewHeight(chains: number): number {
  return Math.max(1, chains) * ROW - 8 + TIME_HEIGHT;
}

/** Draws the ribbons of chains over a common time axis. */
export function overviewScene(rows: readonly OverviewRow[], window: ChartWindow, width: number): Scene {
  const height = overviewHeight(rows.length);
  return {
    height,
    marks: [
      ...timeMarks(window, width, { top: SCENE_HEAD, bottom: height - TIME_HEIGHT }),
      ...rows.flatMap(({ chain, runs, state }, i) => [
        textAtLeft(CHAINS[chain].name, ROW * i + 16, 'name'),
        textAtRight(state, ROW * i + 16, 'state'),
        ...ribbonMarks(runs, window, ROW * i + SCENE_HEAD),
      ]),
    ],
  };
}
