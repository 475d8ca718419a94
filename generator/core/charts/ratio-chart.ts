import * as Plot from '@observablehq/plot';
import { CHAINS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { count } from '../text/count.js';
import { drawMonths, svgText, toChartSvg } from './chart-page.js';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { createSvgDocument, svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** How a metric differs between two sources, from `compareSeries`. */
export type RatioMetric = {
  readonly metric: MetricName;
  readonly both: number;
  readonly equal: number;
  readonly ratios: readonly { readonly date: string; readonly ratio: number }[];
  readonly summary?: { readonly median: number };
};

/** Two sources, A and B, over a span of dates. */
export type RatioChart = {
  readonly chain: Chain;
  readonly a: string;
  readonly b: string;
  readonly first: string;
  readonly last: string;
  readonly metrics: readonly RatioMetric[];
};

const NAME = 'ratios';
const TOP = 84;
const PANEL_HEIGHT = 96;
/** Height of a metric: its text, its panel and the space below. */
const ROW_HEIGHT = 140;
const TEXT_HEIGHT = 20;
const MONTHS_HEIGHT = 34;
/** Half the height of a panel shows at least this difference from 1. */
const LEAST_RANGE = 0.001;
/** Up to this number of dates, each has a dot. */
const DOTTED_DATES = 120;
/** From the middle of a label to its baseline, and its gap to the panel. */
const LABEL_DROP = 6;

type ComparedMetric = Required<RatioMetric>;

/** Draws, for each metric that both sources have, the values of A divided by those of B. */
export function drawRatioChart({ chain, a, b, first, last, metrics }: RatioChart): string {
  const document = createSvgDocument();
  const window = { from: toDayNumber(first), to: toDayNumber(last) + 1 };
  const compared = metrics.filter((each): each is ComparedMetric => each.summary !== undefined);
  const bottom = TOP + Math.max(ROW_HEIGHT * compared.length - (ROW_HEIGHT - TEXT_HEIGHT - PANEL_HEIGHT), 0);
  const span = `${first} to ${last}, UTC days`;
  const none = compared.length === 0 ? ' No metric has a value in both.' : '';
  return toChartSvg({
    ...{ document, name: NAME, hasLegend: false, height: bottom + MONTHS_HEIGHT },
    title: `${CHAINS[chain].name}: ${a} divided by ${b}`,
    heading: `${CHAINS[chain].name}: ${a} divided by ${b}`,
    subheading: `${span}.${none}`,
    description: [`${span}.${none}`, ...compared.map((each) => `${summaryOf(each)}.`)].join(' '),
    body: [
      ...(none === '' ? [drawMonths(document, window, { top: TOP + TEXT_HEIGHT, bottom })] : []),
      ...compared.map((each, i) => drawRow(document, each, window, TOP + ROW_HEIGHT * i)),
    ],
  });
}

function drawRow(
  document: SvgDocument,
  compared: ComparedMetric,
  window: ChartWindow,
  top: number,
): SvgElement {
  const { ratios } = compared;
  const range = Math.max(LEAST_RANGE, ...ratios.map(({ ratio }) => Math.abs(ratio - 1)));
  const byDate = new Map(ratios.map(({ date, ratio }) => [date, ratio - 1]));
  const points = Array.from({ length: window.to - window.from }, (_, i) => ({
    day: window.from + i + 0.5,
    difference: byDate.get(toDate(window.from + i)) ?? null,
  }));
  const channels = { x: 'day', y: 'difference', className: 'demand' };
  const isDotted = points.length <= DOTTED_DATES;
  const marks = plotMarks({ document, window, height: PANEL_HEIGHT, maxAbsY: range }, [
    Plot.ruleY([0], { className: 'enter' }),
    Plot.lineY(points, channels),
    ...(isDotted
      ? [
          Plot.dot(
            points.filter(({ difference }) => difference !== null),
            { ...channels, r: 1.5 },
          ),
        ]
      : []),
  ]);
  const size = { width: WIDTH - LEFT - RIGHT, height: PANEL_HEIGHT };
  const labels = [range, 0, ...(range < 1 ? [-range] : [])].map((difference) => {
    const y = (PANEL_HEIGHT * (range - difference)) / (2 * range) + LABEL_DROP;
    const attributes = { class: 'muted', x: LEFT - LABEL_DROP, y, 'text-anchor': 'end' };
    return svgElement(document, 'text', attributes, formatRatio(1 + difference));
  });
  return svgElement(document, 'g', { transform: `translate(0,${top + TEXT_HEIGHT})` }, [
    ...marks,
    svgElement(document, 'rect', { class: 'frame', x: LEFT, y: 0, ...size }),
    ...labels,
    svgText(document, summaryOf(compared), { class: 'over', x: LEFT, y: -8 }),
  ]);
}

function summaryOf({ metric, both, equal, summary }: RatioMetric): string {
  const median = summary === undefined ? '' : `, median ${formatRatio(summary.median)}`;
  return `${metric}: ${count(both, 'date')} in both, ${equal} equal${median}`;
}

/** Formats a ratio with at most four digits. */
export function formatRatio(ratio: number): string {
  return ratio >= 10_000 ? ratio.toExponential(1) : String(Number(ratio.toPrecision(4)));
}
