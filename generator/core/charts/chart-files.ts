import { CHAINS } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import { chartPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain, LabelRun, Methodology } from '../../../schemas/types.generated.js';
import { SVG_TYPE, textContent, type FileTemplate } from '../artifacts/artifact.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import { toChart, type ChartPoint } from '../artifacts/chart-data.js';
import { CHART_DAYS } from '../artifacts/regime-calendar.js';
import { count, dateWords, dayWords } from '../../../schemas/words.js';
import { type ChartSeries, type Run, axisWords, lastDayOf, toSeries } from './chart-series.js';
import {
  AXIS_NAMES,
  type ChartWindow,
  FILE_LABELS_WIDTH,
  NARROW,
  type OverviewRow,
  type Scene,
  chainScene,
  overviewScene,
  windowOf,
  windowWords,
} from './scenes.js';
import { toSvg, toSvgFile } from './svg-text.js';
import { LABELS } from './chart-style.js';

/** A chart and what is said about it, as it is published. */
export type DrawnChart = {
  /** Name of the chart: the prefix of its ids. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly heading: string;
  readonly window: ChartWindow;
  readonly scene: (width: number) => Scene;
};

/** Draws the last two years of a chain. Precondition: at least one point; dates ascend. */
export function drawChain(chain: Chain, points: readonly ChartPoint[], methodology: Methodology): DrawnChart {
  const series = toSeries(toChart(chain, points, methodology, ''));
  const last = lastDayOf(series);
  const window = windowOf(series.first, last, CHART_DAYS);
  const state = stateOf(series);
  return {
    name: chain,
    label: `${CHAINS[chain].name}: regime, demand and pressure, ${windowWords(window)}`,
    description: describeChain(series, window, methodology.version),
    heading: `${CHAINS[chain].name}: regime, demand and pressure`,
    window,
    scene: (width) => chainScene({ series, window, state, width }),
  };
}

/** Draws the last two years of all chains. Without any, the chart has no ribbons. */
export function drawOverview(facts: readonly ChainFacts[]): DrawnChart {
  const rows = facts.map(({ chain, landing }): OverviewRow => {
    const { label, since } = landing.regime;
    return { chain, runs: landing.runs.map(toRun), state: `${label} since ${dateWords(since)}` };
  });
  const ends = facts.map(({ updatedThrough }) => toDayNumber(updatedThrough));
  const begins = rows.flatMap(({ runs }) => runs.slice(0, 1).map(({ from }) => from));
  const window =
    ends.length === 0 ? { from: 0, to: 1 } : windowOf(Math.min(...begins), Math.max(...ends), CHART_DAYS);
  const described = facts.map((each) => describeRow(each));
  return {
    name: 'overview',
    label: facts.length === 0 ? 'No chain is published' : `Regimes of all chains, ${windowWords(window)}`,
    description: facts.length === 0 ? 'No chain has published dates.' : described.join(' '),
    heading: 'Regimes of all chains',
    window,
    scene: (width) => (rows.length === 0 ? { height: 40, marks: [] } : overviewScene(rows, window, width)),
  };
}

/** Returns a chart as part of a page. */
export function chartForPage(chart: DrawnChart): string {
  return toSvg(chart.scene(NARROW), chart);
}

/** Returns the file of a chain's chart. */
export function chainChartFile(
  chain: Chain,
  points: readonly ChartPoint[],
  methodology: Methodology,
): FileTemplate {
  return chartFile(chartPath(chain), drawChain(chain, points, methodology));
}

/** Returns the file of the overview of all chains. */
export function overviewChartFile(facts: readonly ChainFacts[]): FileTemplate {
  return chartFile(PUBLIC_PATHS.overviewChart, drawOverview(facts));
}

function chartFile(path: string, chart: DrawnChart): FileTemplate {
  let text: string | undefined; // drawn once for its digest and its bytes
  const draw = (): string =>
    toSvgFile(chart.scene(FILE_LABELS_WIDTH), {
      ...chart,
      subheading: `${windowWords(chart.window)}, UTC days`,
    });
  return { path, type: SVG_TYPE, content: () => textContent((text ??= draw())) };
}

function toRun({ label, first, last }: LabelRun): Run {
  return { label, from: toDayNumber(first), to: toDayNumber(last) + 1 };
}

function stateOf({ runs }: ChartSeries): string {
  const last = runs.at(-1);
  return last === undefined ? '' : `${last.label} since ${dayWords(last.from)}`;
}

function describeChain(series: ChartSeries, window: ChartWindow, version: string): string {
  const { enter, exit } = series.thresholds;
  const days = series.days.slice(Math.max(0, window.from - series.first));
  const axes = (['demand', 'pressure'] as const).map((axis) => {
    const values = days.flatMap((day) => day[axis] ?? []);
    if (values.length === 0) return `${AXIS_NAMES[axis]}: no value.`;
    const [least, most] = [Math.min(...values), Math.max(...values)].map(axisWords);
    const now = axisWords(days.at(-1)?.[axis] ?? null) || 'unknown';
    return `${AXIS_NAMES[axis]}: ${least ?? ''} to ${most ?? ''}, ${now} on the last date.`;
  });
  return [
    `${CHAINS[series.chain].name}: ${stateOf(series)}.`,
    `${labelDays(series.runs, window)}.`,
    ...axes,
    `A level becomes high above ${enter} and low below ${-enter}, and normal again within ±${exit}.`,
    `Methodology ${version}.`,
  ].join(' ');
}

function describeRow({ chain, landing, updatedThrough }: ChainFacts): string {
  const { label, since } = landing.regime;
  const all = { from: -Infinity, to: Infinity };
  return `${CHAINS[chain].name}: ${label} since ${dateWords(since)}, data through ${dateWords(updatedThrough)}; ${labelDays(landing.runs.map(toRun), all)}.`;
}

function labelDays(runs: readonly Run[], { from, to }: ChartWindow): string {
  const counted = LABELS.map((label) => {
    const days = runs
      .filter((run) => run.label === label)
      .reduce((sum, run) => sum + Math.max(0, Math.min(to, run.to) - Math.max(from, run.from)), 0);
    return { label, days };
  }).filter(({ days }) => days > 0);
  return counted.map(({ label, days }) => `${label} on ${count(days, 'day')}`).join(', ');
}
