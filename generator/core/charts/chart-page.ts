import * as Plot from '@observablehq/plot';
import { chartCss, LABEL_STYLES, LABELS, TILE } from './chart-style.js';
import { LEFT, monthsOf, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { patternId } from './ribbon.js';
import { svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Top of the body, below title and legend. */
export const BODY_TOP = 146;
/** Number and width of the columns of the legend. */
const COLUMNS = 4;
const COLUMN = 168;
/** Left margin of the title and the legend. */
const EDGE = 16;
const SWATCH = { width: 26, height: 18 } as const;

/** Options for `toChartSvg`. */
export type ChartPage = {
  readonly document: SvgDocument;
  /** Prefix of all ids, so that charts on one page do not share any. */
  readonly name: string;
  readonly height: number;
  /** Title and description for screen readers. */
  readonly title: string;
  readonly description: string;
  /** Visible lines at the top: the subject and the range of days. */
  readonly heading: string;
  readonly subheading: string;
  readonly body: readonly SvgElement[];
  /** Whether the legend of the labels is drawn. Default: true. */
  readonly hasLegend?: boolean;
};

/** Returns a self-contained SVG document with title, description, styles and a legend of the labels. */
export function toChartSvg(page: ChartPage): string {
  const { document, name, height, hasLegend = true } = page;
  const root = document.documentElement;
  const attributes = {
    class: 'crd-chart',
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    lang: 'en',
    'aria-labelledby': `${name}-title`,
    'aria-describedby': `${name}-desc`,
  };
  for (const [key, value] of Object.entries(attributes)) root.setAttribute(key, value);
  root.append(
    svgElement(document, 'title', { id: `${name}-title` }, page.title),
    svgElement(document, 'desc', { id: `${name}-desc` }, page.description),
    svgElement(document, 'style', {}, chartCss()),
    ...(hasLegend ? [svgElement(document, 'defs', {}, patterns(page))] : []),
    svgElement(document, 'rect', { class: 'ground', x: 0, y: 0, width: WIDTH, height }),
    svgText(document, page.heading, { class: 'title', x: EDGE, y: 34 }),
    svgText(document, page.subheading, { class: 'muted', x: EDGE, y: 64 }),
    ...(hasLegend ? legend(page) : []),
    ...page.body,
  );
  return `${root.outerHTML}\n`;
}

export function svgText(
  document: SvgDocument,
  text: string,
  attributes: { readonly class?: string; readonly x: number; readonly y: number },
): SvgElement {
  return svgElement(document, 'text', attributes, text);
}

/** Draws the lines of the months from `top` to `bottom`, with their names below. */
export function drawMonths(
  document: SvgDocument,
  window: ChartWindow,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): SvgElement {
  const months = monthsOf(window);
  const height = bottom - top;
  const lines = plotMarks({ document, window, height }, [
    Plot.ruleX(months, { x: 'day', className: 'month' }),
  ]);
  const unitsPerDay = (WIDTH - LEFT - RIGHT) / (window.to - window.from);
  const names = months
    .filter(({ label }) => label !== '')
    .map(({ label, labelDay }) => {
      const x = LEFT + (labelDay - window.from) * unitsPerDay;
      return svgText(document, label, { class: 'muted', x, y: height + 22 });
    });
  return svgElement(document, 'g', { transform: `translate(0,${top})` }, [...lines, ...names]);
}

function patterns({ document, name }: ChartPage): SvgElement[] {
  return LABELS.map((label) => {
    const { strokes } = LABEL_STYLES[label];
    const fill = svgElement(document, 'rect', { class: `fill-${label}`, width: TILE, height: TILE });
    const stroked = svgElement(document, 'path', { class: `strokes ink-${label}`, d: strokes });
    const attributes = {
      id: patternId(name, label),
      width: TILE,
      height: TILE,
      patternUnits: 'userSpaceOnUse',
    };
    return svgElement(document, 'pattern', attributes, strokes === '' ? [fill] : [fill, stroked]);
  });
}

function legend({ document, name }: ChartPage): SvgElement[] {
  const { width, height } = SWATCH;
  return LABELS.flatMap((label, i) => {
    const x = EDGE + (i % COLUMNS) * COLUMN;
    const y = 80 + Math.floor(i / COLUMNS) * 28;
    const box = { x, y, width, height };
    return [
      svgElement(document, 'rect', { ...box, fill: `url(#${patternId(name, label)})` }),
      svgElement(document, 'rect', { ...box, class: 'frame' }),
      svgText(document, label, { x: x + width + 6, y: y + 15 }),
    ];
  });
}
