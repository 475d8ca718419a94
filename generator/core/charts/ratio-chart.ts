import * as Plot from '@observablehq/plot';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import { changeWords, ratioWords } from '../text/number-words.js';
import { svgText } from './chart-page.js';
import { chartCss } from './chart-style.js';
import { LEFT, monthsOf, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { createSvgDocument, svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Left margin of the title. */
const EDGE = 16;
const TOP = 110;
const PANEL_HEIGHT = 90;
const ROW_HEIGHT = 144;
/** Windows with more days show years instead of months. */
const MOST_DAYS_WITH_MONTHS = 400;
/** Smallest range of a panel, so that rounding does not look like a difference: 0.1 %. */
const LEAST_RANGE = 0.001;

type Ratio = { readonly date: string; readonly ratio: number };

/** The ratios of a quantity over time, with ascending dates. */
export type RatioLine = {
  readonly metric: string;
  readonly ratios: readonly Ratio[];
  readonly summary?: { readonly median: number; readonly least: Ratio; readonly most: Ratio };
};

/** Options for `drawRatioChart`. */
export type RatioChart = { readonly title: string; readonly lines: readonly RatioLine[] };

/** Draws a panel per line: how far its ratios are from 1. Dates without a ratio are gaps; lines without any are left out. */
export function drawRatioChart({ title, lines }: RatioChart): string {
  const document = createSvgDocument();
  const drawn = lines.filter(({ ratios }) => ratios.length > 0);
  const days = drawn
    .flatMap(({ ratios }) => [ratios[0], ratios.at(-1)])
    .flatMap((each) => (each ? [toDayNumber(each.date)] : []));
  const window = days.length === 0 ? undefined : { from: Math.min(...days), to: Math.max(...days) + 1 };
  const range = window
    ? `${toDate(window.from)} to ${toDate(window.to - 1)}, UTC days. Difference from 1 in %`
    : 'No dates in both';
  const height = TOP + ROW_HEIGHT * Math.max(1, drawn.length);
  const root = document.documentElement;
  const attributes = { class: 'crd-chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', lang: 'en' };
  for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
  root.append(
    svgElement(document, 'title', {}, title),
    svgElement(document, 'desc', {}, [range, ...drawn.map(headline)].join('. ')),
    svgElement(document, 'style', {}, chartCss()),
    svgElement(document, 'rect', { class: 'ground', x: 0, y: 0, width: WIDTH, height }),
    svgText(document, title, { class: 'title', x: EDGE, y: 34 }),
    svgText(document, range, { class: 'muted', x: EDGE, y: 64 }),
    ...(window ? drawn.map((line, i) => drawPanel(document, line, window, TOP + ROW_HEIGHT * i)) : []),
  );
  return `${root.outerHTML}\n`;
}

function drawPanel(document: SvgDocument, line: RatioLine, window: ChartWindow, top: number): SvgElement {
  const height = PANEL_HEIGHT;
  const range = Math.max(LEAST_RANGE, ...line.ratios.map(({ ratio }) => Math.abs(ratio - 1)));
  const marks = plotMarks({ document, window, height, maxAbsY: range }, [
    Plot.ruleX(periodsOf(window), { x: 'day', className: 'month' }),
    Plot.ruleY([0], { className: 'zero' }),
    Plot.lineY(pointsOf(line, window), { x: ({ day }: Point) => day + 0.5, y: 'y', className: 'demand' }),
  ]);
  const frame = svgElement(document, 'rect', {
    ...{ class: 'frame', x: LEFT, y: 0, width: WIDTH - LEFT - RIGHT, height },
  });
  const labels = [range, 0, -range].map((y, i) =>
    svgElement(
      document,
      'text',
      { class: 'muted', x: LEFT - 4, y: (height * i) / 2 + 5, 'text-anchor': 'end' },
      formatPercent(y),
    ),
  );
  const unitsPerDay = (WIDTH - LEFT - RIGHT) / (window.to - window.from);
  const names = periodsOf(window).map(({ label, labelDay }) =>
    svgText(document, label, {
      class: 'muted',
      x: LEFT + (labelDay - window.from) * unitsPerDay,
      y: height + 18,
    }),
  );
  const words = svgText(document, headline(line), { class: 'over', x: LEFT, y: -8 });
  return svgElement(document, 'g', { transform: `translate(0,${top})` }, [
    ...marks,
    frame,
    ...labels,
    ...names,
    words,
  ]);
}

type Point = { readonly day: number; readonly y: number | null };

/** Returns a point for each day of the window; a day without a ratio breaks the line. */
function pointsOf({ ratios }: RatioLine, { from, to }: ChartWindow): Point[] {
  const values = new Map(ratios.map(({ date, ratio }) => [toDayNumber(date), ratio - 1]));
  return Array.from({ length: to - from }, (_, i) => ({ day: from + i, y: values.get(from + i) ?? null }));
}

function periodsOf(window: ChartWindow): { day: number; labelDay: number; label: string }[] {
  const months = monthsOf(window);
  if (window.to - window.from <= MOST_DAYS_WITH_MONTHS) return months;
  return months
    .filter(({ day }) => toDate(day).endsWith('-01-01'))
    .map((each) => ({ ...each, label: toDate(each.day).slice(0, 4) }));
}

function headline({ metric, summary }: RatioLine): string {
  if (summary === undefined) return metric;
  const { median, least, most } = summary;
  const [one, low, high] = [median, least.ratio, most.ratio].map(ratioWords);
  return `${metric}: median ${one}, from ${low} (${least.date}) to ${high} (${most.date})`;
}

/** Formats a label of the axis. Its unit is in the chart's second line. */
function formatPercent(change: number): string {
  return changeWords(change).replace(' %', '');
}
