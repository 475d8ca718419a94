import { CHAINS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import type { ChainChart } from '../artifacts/chart-files.js';
import { count } from '../text/count.js';
import { zWords } from '../text/number-words.js';
import { CHART_DAYS, toLabelRuns } from '../artifacts/label-runs.js';
import { drawPanel, type AxisPoint } from './axis-panel.js';
import { BODY_TOP, drawMonths, svgText, toChartSvg } from './chart-page.js';
import { LABELS } from './chart-style.js';
import { LEFT, toChartWindow, type ChartWindow } from './chart-window.js';
import { drawRibbon } from './ribbon.js';
import { createSvgDocument, svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

const RIBBON = { top: BODY_TOP, height: 44 } as const;
const PANEL_HEIGHT = 108;
const DEMAND_TOP = RIBBON.top + RIBBON.height + 34;
const PRESSURE_TOP = DEMAND_TOP + PANEL_HEIGHT + 34;
const BOTTOM = PRESSURE_TOP + PANEL_HEIGHT;
const KEY_TOP = BOTTOM + 54;
/** x of the second key item, right of the first one's text. */
const SECOND_KEY_X = 384;
const HEIGHT = KEY_TOP + 18;
/** The z axis spans at least plus and minus this, so that small changes in an uneventful year do not look large. */
const MIN_Z_EXTENT = 2;
const AXES = ['demand', 'pressure'] as const;
const AXIS_NAMES = { demand: 'Demand z', pressure: 'Pressure z' } as const;

/** Draws a chain's last year: a ribbon of its regimes, and both axes with their thresholds. */
export function drawChainChart(chart: ChainChart): string {
  const { chain, days, thresholds } = chart;
  const first = days[0];
  const latest = days.at(-1);
  if (first === undefined || latest === undefined) throw new Error(`${chain} has no day to draw`);
  const { name } = CHAINS[chain];
  const document = createSvgDocument();
  const window = toChartWindow(latest.date);
  const points = { demand: pointsOf(chart, 'demand', window), pressure: pointsOf(chart, 'pressure', window) };
  const sizes = [...points.demand, ...points.pressure].map(({ z }) => Math.abs(z ?? 0));
  const maxAbsZ = Math.max(MIN_Z_EXTENT, Math.floor(Math.max(thresholds.enter, ...sizes)) + 1);
  const runs = toLabelRuns(days.map(({ date, regime: { label } }) => ({ date, label })));
  const panel = (axis: 'demand' | 'pressure', top: number): SvgElement =>
    drawPanel({
      document,
      axis,
      name: AXIS_NAMES[axis],
      points: points[axis],
      thresholds,
      window,
      maxAbsZ,
      top,
      height: PANEL_HEIGHT,
    });
  return toChartSvg({
    document,
    name: chain,
    height: HEIGHT,
    title: `${name}: regimes of the last ${CHART_DAYS} days`,
    description: chartDescription(chart),
    heading: `${name}: ${latest.regime.label} since ${latest.regime.since}`,
    subheading: `${toDate(window.from)} to ${latest.date}, UTC days`,
    body: [
      drawMonths(document, window, { top: RIBBON.top, bottom: BOTTOM }),
      drawRibbon(runs, { document, name: chain, window, ...RIBBON }),
      panel('demand', DEMAND_TOP),
      panel('pressure', PRESSURE_TOP),
      ...thresholdKey(document, thresholds),
    ],
  });
}

/** Returns a point for every day of the window; the line breaks where z is null. */
function pointsOf({ days }: ChainChart, axis: (typeof AXES)[number], { from, to }: ChartWindow): AxisPoint[] {
  const zByDay = new Map(days.map(({ date, regime }) => [toDayNumber(date), regime.axes[axis].z]));
  return Array.from({ length: to - from }, (_, i) => ({ day: from + i, z: zByDay.get(from + i) ?? null }));
}

function thresholdKey(document: SvgDocument, { enter, exit }: ChainChart['thresholds']): SvgElement[] {
  const keyItem = (className: string, x: number, text: string): SvgElement[] => [
    svgElement(document, 'path', { class: className, d: `M${x},${KEY_TOP - 6}L${x + 34},${KEY_TOP - 6}` }),
    svgText(document, text, { x: x + 42, y: KEY_TOP }),
  ];
  return [
    ...keyItem('enter', LEFT, `high from ${enter}, low from ${-enter}`),
    ...keyItem('exit', SECOND_KEY_X, `normal again within ±${exit}`),
  ];
}

function chartDescription({ chain, days, thresholds: { enter, exit }, origin }: ChainChart): string {
  const latest = days.at(-1);
  const counts = LABELS.map((label) => ({
    label,
    days: days.filter(({ regime }) => regime.label === label).length,
  }))
    .filter((each) => each.days > 0)
    .sort((a, b) => b.days - a.days)
    .map((each) => `${each.label} ${each.days}`);
  const axes = AXES.map((axis) => {
    const values = days.flatMap(({ regime }) => regime.axes[axis].z ?? []);
    const { z = null, level = null } = latest?.regime.axes[axis] ?? {};
    const now =
      z === null ? 'unknown on the last date' : `${zWords(z)} on the last date, level ${level ?? 'unknown'}`;
    const range =
      values.length === 0
        ? 'no day with a z value'
        : `${zWords(Math.min(...values))} to ${zWords(Math.max(...values))} on ${count(values.length, 'day')}`;
    return `${AXIS_NAMES[axis]}: ${range}, ${now}`;
  });
  return [
    `${CHAINS[chain].name} has been ${latest?.regime.label ?? ''} since ${latest?.regime.since ?? ''}.`,
    `Days from ${days[0]?.date ?? ''} to ${latest?.date ?? ''} by label: ${counts.join(', ')}.`,
    `${axes.join('. ')}.`,
    `A level becomes high at ${enter} and low at ${-enter}, and normal again within ±${exit}.`,
    'Gaps are days without enough data.',
    `Methodology ${origin.methodologyVersion}, published revision ${origin.revision}.`,
  ].join(' ');
}
