import type { Run } from '../../../generator/core/charts/chart-series.js';
import { citationOf } from '../../../generator/core/charts/citation.js';
import { GUTTER, type MetricLine } from '../../../generator/core/charts/metric-scene.js';
import { FILE_LABELS_WIDTH } from '../../../generator/core/charts/scenes.js';
import { CHAIN_IDS, CHAINS, METRICS } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { watchKeys } from '../chart-keys.js';
import {
  dayAfterKey,
  dayAt,
  FIRST_RANGE,
  follow,
  MIN_ZOOM_DAYS,
  shiftWindow,
  zoomAround,
  zoomWindow,
} from '../chart-view.js';
import { type Controls, createControls } from './controls.js';
import { addParts, type FigureParts } from './figure-parts.js';
import { watchGestures } from './gestures.js';
import { fetchMetrics, fetchRuns, type MetricData } from './metric-data.js';
import {
  createPlot,
  limitsOfLines,
  type Plot,
  readDay,
  restingDayOf,
  sceneOf,
  showRange,
  showWindow,
  windowOfRange,
} from './metric-plot.js';
import { saveView } from './save-view.js';
import { createSharing, type Sharing } from './sharing.js';
import {
  type ChainMetric,
  type MetricView,
  nameOf,
  parseFragment,
  parseName,
  toFragment,
} from './view-address.js';

const FAILED = 'The data of this chart could not be loaded. Reload the page to try again.';
/** How long after a change the address follows, in milliseconds: browsers refuse too many changes. */
const ADDRESS_MS = 250;

/** Makes a figure with the metrics of a chain interactive. */
export async function startMetrics(figure: HTMLElement): Promise<void> {
  const element = figure.querySelector<HTMLElement>('.chart-plot');
  const chain = CHAIN_IDS.find((each) => each === figure.dataset['metrics']);
  if (element === null || chain === undefined) return;
  const parts = addParts(figure, element);
  try {
    const [metrics, runs] = await Promise.all([fetchMetrics(chain), fetchRuns(chain)]);
    await createFigure(parts, chain, metrics, runs);
    figure.dataset['ready'] = 'true';
  } catch {
    parts.readout.textContent = FAILED;
  }
}

/** A figure with its plot, and what is around it. */
type Figure = {
  readonly chain: Chain;
  readonly loaded: Map<Chain, MetricData>;
  readonly runs: Map<Chain, readonly Run[]>;
  readonly plot: Plot;
  readonly controls: Controls;
  readonly sharing: Sharing;
  view: MetricView;
  /** Number of views that were asked for, so that a slow second chain does not replace a newer one. */
  turn: number;
  /** Keeps the address soon. */
  timer?: ReturnType<typeof setTimeout>;
};

async function createFigure(
  parts: FigureParts,
  chain: Chain,
  own: MetricData,
  ownRuns: readonly Run[],
): Promise<void> {
  const sharing = createSharing(parts.figure, chain, {
    cite: (cited) => citationOf(plot.lines, cited),
    metricCount: () => plot.lines.length,
  });
  const runs = new Map([[chain, ownRuns]]);
  const plot = createPlot(parts, runs, () => {
    figure.view = withWindow(figure.view, plot);
    mark(figure);
    clearTimeout(figure.timer);
    figure.timer = setTimeout(() => keepAddress(figure), ADDRESS_MS);
  });
  const change = (next: MetricView): void => {
    const window = plot.range === undefined ? plot.window : undefined;
    show(figure, { ...next, window }, plot.range).catch(() => {
      parts.readout.textContent = FAILED;
    });
  };
  const controls = createControls(chain, [...own.keys()], {
    showMetric: (name) => change({ ...figure.view, metric: parseName(name)?.metric }),
    showSecond: (name) => change({ ...figure.view, second: parseName(name) }),
    showScale: (scale) => change({ ...figure.view, scale }),
    showRange: (index) => showRange(plot, index),
    download: (format) => {
      const { lines, window } = plot;
      const citation = sharing.citation();
      saveView(format, {
        chain,
        lines,
        runs,
        window,
        scene: sceneOf(plot, FILE_LABELS_WIDTH - GUTTER),
        citation,
      });
    },
  });
  const figure: Figure = {
    chain,
    loaded: new Map([[chain, own]]),
    runs,
    plot,
    controls,
    sharing,
    view: {},
    turn: 0,
  };
  parts.head.append(controls.element);
  parts.foot.append(sharing.element);
  listen(plot, () => keepAddress(figure));
  const showAddress = (): Promise<void> => show(figure, parseFragment(location.hash, chain));
  addEventListener('hashchange', () => void showAddress());
  await showAddress();
  document.querySelector('[data-citation]')?.remove(); // the figure has that of what it shows
}

/**
 * Shows a view; without a window, that of a range. What does not exist in it is left out: the first metric instead of an unknown
 * one, and no second line, nor one that is the first.
 */
async function show(figure: Figure, asked: MetricView, range = FIRST_RANGE): Promise<void> {
  const { plot } = figure;
  const turn = (figure.turn += 1);
  const { lines, note = '' } = await linesOf(figure, asked);
  const [first, second] = lines;
  if (first === undefined || figure.turn !== turn) return;
  plot.lines = lines;
  plot.note = note;
  plot.scale = asked.scale;
  plot.limits = limitsOfLines(lines);
  const window =
    asked.window === undefined
      ? windowOfRange(plot, range)
      : zoomWindow(asked.window.from, asked.window.to - 1, plot.limits);
  const { day } = asked;
  const isDayShown = day !== undefined && day >= window.from && day < window.to;
  figure.view = {
    ...asked,
    metric: first.metric === asked.metric ? asked.metric : undefined,
    second: second === undefined ? undefined : asked.second,
    window,
    day: isDayShown ? day : undefined,
  };
  showWindow(plot, window, asked.window === undefined ? range : undefined);
  if (isDayShown) readDay(plot, day);
}

/** The lines of a view, and why the second one that was asked for is not among them. */
type Lines = { readonly lines: readonly MetricLine[]; readonly note?: string };

async function linesOf(figure: Figure, { metric, second }: MetricView): Promise<Lines> {
  const own = figure.loaded.get(figure.chain);
  const first = (metric && own?.get(metric)) ?? [...(own?.values() ?? [])][0];
  if (first === undefined) return { lines: [] };
  if (second === undefined || nameOf(second) === nameOf(first)) return { lines: [first] };
  const { name } = CHAINS[second.chain];
  try {
    const line = await lineOf(figure, second);
    if (line !== undefined) return { lines: [first, line] };
    return { lines: [first], note: `${name} has no data for ${METRICS[second.metric].words}.` };
  } catch {
    return { lines: [first], note: `The data of ${name} could not be loaded. Choose it again to try again.` };
  }
}

/** Returns the line of a metric, with the regimes of its chain in `runs`. @throws Error if they cannot be read. */
async function lineOf(
  { loaded, runs }: Figure,
  { chain, metric }: ChainMetric,
): Promise<MetricLine | undefined> {
  const [data, ofChain] = await Promise.all([
    loaded.get(chain) ?? fetchMetrics(chain),
    runs.get(chain) ?? fetchRuns(chain),
  ]);
  loaded.set(chain, data);
  runs.set(chain, ofChain);
  return data.get(metric);
}

function withWindow(view: MetricView, { range, window }: Plot): MetricView {
  const isMoved = view.window?.from !== window.from || view.window.to !== window.to;
  return {
    ...view,
    window: range === FIRST_RANGE ? undefined : window,
    day: isMoved ? undefined : view.day,
  };
}

function mark({ controls, plot, view }: Figure): void {
  const [first] = plot.lines;
  controls.mark({
    metric: first === undefined ? '' : nameOf(first),
    second: view.second === undefined ? '' : nameOf(view.second),
    scale: view.scale,
    range: plot.range,
  });
}

function keepAddress({ view, sharing, timer }: Figure): void {
  clearTimeout(timer);
  const fragment = toFragment(view);
  const hash = fragment === '' ? '' : `#${fragment}`;
  if (location.hash !== hash) history.replaceState(null, '', location.pathname + hash);
  sharing.update();
}

/** Lets a reader move the window and choose a day by pointer and keys. `ended` is called after a drag or a pinch. */
function listen(plot: Plot, ended: () => void): void {
  let held = plot.window;
  let turned = 1;
  watchGestures(plot.parts.plot, {
    point: (share) => readDay(plot, dayAt(share, plot.window)),
    leave: () => readDay(plot, undefined),
    begin: () => {
      held = plot.window;
    },
    move: (around, factor, shift) => {
      const zoomed = factor === 1 ? held : zoomAround(held, dayAt(around, held), factor, plot.limits);
      const days = -Math.round(shift * (zoomed.to - zoomed.from));
      if (factor !== 1 || days !== 0 || plot.window !== held)
        showWindow(plot, shiftWindow(zoomed, days, plot.limits));
    },
    end: ended,
    zoom: (around, factor) => {
      const { window, limits } = plot;
      if (factor > 1 && window.from <= limits.first && window.to > limits.last) return false;
      const isClosest = factor < 1 && window.to - window.from <= MIN_ZOOM_DAYS;
      if (isClosest || turned > 1 !== factor > 1) turned = 1;
      if (isClosest) return false; // the page scrolls
      turned *= factor; // a wheel may turn too little for one day
      const next = zoomAround(window, dayAt(around, window), turned, limits);
      if (next.to - next.from === window.to - window.from) return true;
      turned = 1;
      showWindow(plot, next);
      return true;
    },
    pan: (shift) => {
      const { window, limits } = plot;
      showWindow(plot, shiftWindow(window, Math.round(shift * (window.to - window.from)), limits));
    },
    reset: () => showRange(plot, FIRST_RANGE),
  });
  watchKeys(plot.parts.plot, {
    zoom: (factor) =>
      showWindow(plot, zoomAround(plot.window, plot.day ?? restingDayOf(plot), factor, plot.limits)),
    reset: () => showRange(plot, FIRST_RANGE),
    move: (key) => {
      const next = dayAfterKey(key, plot.day ?? restingDayOf(plot), plot.window, plot.limits);
      if (next === undefined) return false;
      const moved = follow(plot.window, next);
      if (moved !== plot.window) showWindow(plot, moved);
      readDay(plot, next);
      return true;
    },
  });
}
