import { type ChartSeries, readDay } from '../../generator/core/charts/chart-series.js';
import {
  type ChartWindow,
  FILE_LABELS_WIDTH,
  type Scene,
  chainScene,
  overviewScene,
  shareOf,
  windowWords,
} from '../../generator/core/charts/scenes.js';
import { toSvg } from '../../generator/core/charts/svg-text.js';
import { fetchSeries } from './chart-data.js';
import { download } from './chart-download.js';
import { watchKeys } from './chart-keys.js';
import { watchPointer } from './chart-pointer.js';
import { showReading } from './chart-readout.js';
import { createTools, type Tools } from './chart-tools.js';
import {
  dayAfterKey,
  dayAt,
  FIRST_RANGE,
  follow,
  havePassed,
  limitsOf,
  newestDayOf,
  RANGES,
  rangeWindow,
  rangeWords,
  restingDay,
  zoomAround,
  zoomWindow,
  type Limits,
} from './chart-view.js';
import { create } from './dom.js';
import { sentenceOf, stateWords } from './reading-words.js';

const HINT =
  'Point at the chart, tap it or use the arrow keys to read a day. Drag to zoom, double-click to reset.';
const FAILED = 'The data of this chart could not be loaded. Reload the page to try again.';
/** How far from the window a chart is when its data is loaded. */
const NEAR = '200px';

/** The elements of a figure. */
type Parts = {
  readonly figure: HTMLElement;
  readonly plot: HTMLElement;
  readonly canvas: HTMLElement;
  readonly cursor: HTMLElement;
  readonly brush: HTMLElement;
  readonly readout: HTMLElement;
  readonly status: HTMLElement;
  readonly range: HTMLElement | null;
};

/** Makes a figure interactive. Its data is loaded once it is near the window, that of an overview once it is used. */
export function enhanceFigure(figure: HTMLElement): void {
  const plot = figure.querySelector<HTMLElement>('.chart-plot');
  const files = (figure.dataset['files'] ?? '').split(' ').filter((file) => file !== '');
  if (plot === null || files.length === 0) return;
  const parts = addParts(figure, plot);
  let loading: Promise<Chart | undefined> | undefined;
  const load = (): Promise<Chart | undefined> => (loading ??= loadChart(parts, files, tools));
  const tools = createTools({
    showRange: (index) => void load().then((chart) => chart?.showRange(index)),
    download: (format) => void load().then((chart) => chart?.download(format)),
  });
  tools.mark(FIRST_RANGE);
  figure.querySelector('.chart-head')?.append(tools.element);
  for (const event of ['pointerenter', 'pointerdown', 'focusin'])
    figure.addEventListener(event, () => void load(), { once: true });
  if (figure.dataset['chart'] === 'overview') return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void load();
    },
    { rootMargin: NEAR },
  );
  observer.observe(figure);
}

function addParts(figure: HTMLElement, plot: HTMLElement): Parts {
  const canvas = create('div', { className: 'chart-canvas' }, [...plot.childNodes]);
  const cursor = create('div', { className: 'chart-cursor', hidden: true });
  const brush = create('div', { className: 'chart-brush', hidden: true });
  plot.replaceChildren(canvas, cursor, brush);
  plot.tabIndex = 0;
  plot.setAttribute('role', 'slider');
  plot.setAttribute('aria-label', 'Day of the chart');
  plot.setAttribute('aria-valuenow', '0');
  plot.setAttribute('aria-valuetext', HINT);
  const readout = create('div', { className: 'chart-readout', textContent: HINT });
  const status = create('p', { className: 'chart-status' });
  status.setAttribute('aria-live', 'polite');
  (figure.querySelector('.chart-legend') ?? plot).after(readout, status);
  return {
    figure,
    plot,
    canvas,
    cursor,
    brush,
    readout,
    status,
    range: figure.querySelector('.chart-range'),
  };
}

async function loadChart(parts: Parts, files: readonly string[], tools: Tools): Promise<Chart | undefined> {
  try {
    const all = await fetchSeries(files);
    return startChart(parts, all, tools);
  } catch {
    parts.readout.textContent = FAILED;
    return undefined;
  }
}

/** An interactive chart. */
type Chart = {
  readonly showRange: (index: number) => void;
  readonly download: (format: 'CSV' | 'SVG' | 'PNG') => void;
};

function startChart(parts: Parts, all: readonly ChartSeries[], tools: Tools): Chart {
  const { figure, plot } = parts;
  const newest = newestDayOf(all);
  let limits = limitsNow(figure, all);
  let range = FIRST_RANGE;
  let window = rangeWindow(limits, RANGES[range]?.days ?? Infinity);
  let day: number | undefined;
  const shown = (): number => day ?? restingDay(window, newest);
  const draw = (): void => drawChart(parts, all, window, shown());
  const read = (next: number | undefined): void => {
    day = next;
    showDay(parts, all, window, shown(), day !== undefined);
  };
  const show = (next: ChartWindow, marked: number | undefined): void => {
    window = next;
    tools.mark(marked);
    plot.setAttribute('aria-valuemax', String(limits.last));
    draw();
    parts.status.textContent = `Showing ${rangeWords(window, newest)}.`;
    read(day !== undefined && day >= window.from && day < window.to ? day : undefined);
  };
  const showRange = (index: number): void => {
    range = index;
    limits = limitsNow(figure, all); // the page may have been open for days
    show(rangeWindow(limits, RANGES[index]?.days ?? Infinity), index);
  };
  watchPointer(plot, {
    point: (share) => read(dayAt(share, window)),
    leave: () => read(undefined),
    brush: (from, to) => placeBrush(parts.brush, from, to),
    zoom: (from, to) => show(zoomWindow(dayAt(from, window), dayAt(to, window), limits), undefined),
    reset: () => showRange(range),
  });
  watchKeys(plot, {
    zoom: (factor) => show(zoomAround(window, shown(), factor, limits), undefined),
    reset: () => showRange(range),
    move: (key) => {
      const next = dayAfterKey(key, day ?? shown(), window, limits);
      if (next === undefined) return false;
      const moved = follow(window, next);
      if (moved !== window) show(moved, undefined);
      read(next);
      return true;
    },
  });
  plot.setAttribute('aria-valuemin', String(limits.first));
  new ResizeObserver(draw).observe(plot);
  show(window, range);
  figure.dataset['ready'] = 'true';
  return {
    showRange,
    download: (format) => {
      const scene = sceneOf(all, window, shown(), FILE_LABELS_WIDTH);
      const heading = figure.querySelector('.chart-title')?.textContent ?? '';
      const [only] = all;
      const name = all.length === 1 && only !== undefined ? only.chain : 'overview';
      download({ name, heading, all, window, scene }, format);
    },
  };
}

/** Returns the days that a chart can show by the reader's clock. The page of an older release does not say when it is stale. */
function limitsNow({ dataset }: HTMLElement, all: readonly ChartSeries[]): Limits {
  const nowMs = Date.now();
  const { stale } = dataset;
  return limitsOf(all, stale !== undefined && havePassed(stale, nowMs), nowMs);
}

function drawChart(
  { figure, plot, canvas, range }: Parts,
  all: readonly ChartSeries[],
  window: ChartWindow,
  day: number,
): void {
  const scene = sceneOf(all, window, day, plot.clientWidth);
  const label = `${figure.querySelector('.chart-title')?.textContent ?? ''}, ${windowWords(window)}`;
  const name = canvas.querySelector('desc')?.id.replace(/-desc$/, '') ?? 'chart';
  canvas.innerHTML = toSvg(scene, { name, label, description: label, hasTooltips: false });
  if (range !== null) range.textContent = rangeWords(window, newestDayOf(all));
}

/** Draws one chain with its axes, or several as ribbons. */
function sceneOf(all: readonly ChartSeries[], window: ChartWindow, day: number, width: number): Scene {
  const stateAt = (series: ChartSeries): string => stateWords(readDay(series, day));
  const [only] = all;
  if (only !== undefined && all.length === 1)
    return chainScene({ series: only, window, state: stateAt(only), width });
  const rows = all.map((series) => ({ chain: series.chain, runs: series.runs, state: stateAt(series) }));
  return overviewScene(rows, window, width);
}

function showDay(
  { plot, canvas, cursor, readout }: Parts,
  all: readonly ChartSeries[],
  window: ChartWindow,
  day: number,
  isChosen: boolean,
): void {
  cursor.hidden = !isChosen;
  cursor.style.left = `${shareOf(day + 0.5, window) * 100}%`;
  const states = canvas.querySelectorAll('text.state');
  for (const [i, series] of all.entries()) {
    const state = states[i];
    if (state !== undefined) state.textContent = stateWords(readDay(series, day));
  }
  showReading(readout, all, day);
  plot.setAttribute('aria-valuenow', String(day));
  plot.setAttribute('aria-valuetext', sentenceOf(all, day));
}

function placeBrush(brush: HTMLElement, from: number, to: number): void {
  brush.hidden = from === to;
  brush.style.left = `${Math.min(from, to) * 100}%`;
  brush.style.width = `${Math.abs(to - from) * 100}%`;
}
