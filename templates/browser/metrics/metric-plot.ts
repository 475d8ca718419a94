import { eventsOf } from '../../../generator/core/charts/chart-events.js';
import type { ScaleKind } from '../../../generator/core/charts/metric-scale.js';
import { headingOf, metricScene, type MetricLine } from '../../../generator/core/charts/metric-scene.js';
import { type ChartWindow, type Scene, shareOf, windowWords } from '../../../generator/core/charts/scenes.js';
import { toSvg } from '../../../generator/core/charts/svg-text.js';
import { type Limits, RANGES, rangeWindow, restingDay } from '../chart-view.js';
import { create } from '../dom.js';
import type { FigureParts } from './figure-parts.js';
import type { RegimeRuns } from './metric-data.js';
import { metricSentence, showValues } from './metric-readout.js';

/** A plot of one or two metrics, and what it shows now. */
export type Plot = {
  readonly parts: FigureParts;
  /** The regimes of the chains of `lines`. */
  readonly runs: RegimeRuns;
  /** Is called when the window was changed. */
  readonly changed: () => void;
  /** Draws with the next frame. */
  readonly drawSoon: () => void;
  lines: readonly MetricLine[];
  /** The scale of all axes; without one, each has its own. */
  scale: ScaleKind | undefined;
  limits: Limits;
  window: ChartWindow;
  /** The range that is shown; none while the plot is zoomed. */
  range: number | undefined;
  /** The day that a reader chose. */
  day: number | undefined;
  /** What a reader must know about what is shown; empty without. */
  note: string;
};

/** Creates a plot without lines. It draws again when its width changes. */
export function createPlot(parts: FigureParts, runs: RegimeRuns, changed: () => void): Plot {
  let frame = 0;
  const drawSoon = (): void => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw(plot);
    });
  };
  const plot: Plot = {
    parts,
    runs,
    changed,
    drawSoon,
    lines: [],
    scale: undefined,
    limits: { first: 0, last: 0 },
    window: { from: 0, to: 1 },
    range: undefined,
    day: undefined,
    note: '',
  };
  let width = 0;
  new ResizeObserver(() => {
    if (parts.plot.clientWidth !== width) drawSoon(); // its own height changes with what it shows
    width = parts.plot.clientWidth;
  }).observe(parts.plot);
  return plot;
}

/** Shows a range, by its place in `RANGES`. */
export function showRange(plot: Plot, index: number): void {
  showWindow(plot, windowOfRange(plot, index), index);
}

/** Returns the window of a range, by its place in `RANGES`. */
export function windowOfRange({ limits }: Plot, index: number): ChartWindow {
  return rangeWindow(limits, RANGES[index]?.days ?? Infinity);
}

/** Shows a window, which may be that of a range. */
export function showWindow(plot: Plot, window: ChartWindow, range?: number): void {
  const { parts, limits } = plot;
  plot.window = window;
  plot.range = range;
  parts.plot.setAttribute('aria-valuemin', String(limits.first));
  parts.plot.setAttribute('aria-valuemax', String(limits.last));
  plot.drawSoon();
  plot.changed();
}

/** Returns what a plot shows, drawn for a width. */
export function sceneOf({ lines, scale, runs, window }: Plot, width: number): Scene {
  return metricScene({
    lines: lines.map((line) => ({ line, scale, runs: runs.get(line.chain) ?? [] })),
    events: eventsOf(lines.map(({ chain }) => chain)),
    window,
    width,
  });
}

function draw(plot: Plot): void {
  const { parts, lines, window, note } = plot;
  if (lines.length === 0) return;
  const heading = headingOf(lines);
  const words = `${heading}, ${windowWords(window)}`;
  const options = { name: 'metrics', label: words, description: words, hasTooltips: false };
  parts.canvas.innerHTML = toSvg(sceneOf(plot, parts.plot.clientWidth), options);
  parts.range.textContent = windowWords(window);
  if (parts.title.textContent !== heading) {
    parts.title.textContent = heading;
    parts.status.textContent = `Showing ${words}.`;
  }
  if (note !== '' && parts.status.textContent !== note) parts.status.textContent = note;
  readDay(plot, plot.day);
}

/** Shows the values of a day; without one, of the newest day of the window. */
export function readDay(plot: Plot, day: number | undefined): void {
  const { parts, lines, runs, window, note } = plot;
  plot.day = day !== undefined && day >= window.from && day < window.to ? day : undefined;
  const shown = plot.day ?? restingDayOf(plot);
  parts.cursor.hidden = plot.day === undefined;
  parts.cursor.style.left = `${shareOf(shown + 0.5, window) * 100}%`;
  showValues(parts.readout, lines, runs, shown);
  if (note !== '') parts.readout.append(create('p', { className: 'chart-note', textContent: note }));
  parts.plot.setAttribute('aria-valuenow', String(shown));
  parts.plot.setAttribute('aria-valuetext', metricSentence(lines, runs, shown));
}

/** Returns the day that is shown while none is chosen. */
export function restingDayOf({ window, limits }: Plot): number {
  return restingDay(window, limits.last);
}

/** Returns the first and the last day with a value of any line. */
export function limitsOfLines(lines: readonly MetricLine[]): Limits {
  const known = (value: number | null): boolean => value !== null;
  return {
    first: Math.min(...lines.map(({ first, values }) => first + values.findIndex(known))),
    last: Math.max(...lines.map(({ first, values }) => first + values.findLastIndex(known))),
  };
}
