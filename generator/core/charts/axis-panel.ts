import * as Plot from '@observablehq/plot';
import type { Methodology } from '../../../schemas/types.generated.js';
import { svgText } from './chart-page.js';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Units between the axis labels of a panel at least. */
const LABEL_SPACE = 22;
const LABEL_DROP = 6;

/** A day of an axis; a day without a z, or with none at all, is a gap. */
export type AxisPoint = { readonly day: number; readonly z: number | null };

/** What a panel shows, and where. */
export type PanelTerms = {
  readonly document: SvgDocument;
  readonly axis: 'demand' | 'pressure';
  readonly name: string;
  /** One for every day of the window. */
  readonly points: readonly AxisPoint[];
  readonly thresholds: Methodology['levels'];
  readonly window: ChartWindow;
  /** The z at the upper edge; its opposite is at the lower. */
  readonly reach: number;
  readonly top: number;
  readonly height: number;
};

/** The line of an axis over the days, with the thresholds of its levels. */
export function drawPanel(terms: PanelTerms): SvgElement {
  const { document, axis, points, thresholds, window, reach, top, height } = terms;
  const { enter, exit } = thresholds;
  const marks = plotMarks({ document, window, height, reach }, [
    Plot.ruleY([0], { className: 'zero' }),
    Plot.ruleY([exit, -exit], { className: 'exit' }),
    Plot.ruleY([enter, -enter], { className: 'enter' }),
    Plot.lineY(points, { x: ({ day }: AxisPoint) => day + 0.5, y: 'z', className: axis }),
  ]);
  const frame = svgElement(document, 'rect', {
    class: 'frame',
    x: LEFT,
    y: 0,
    width: WIDTH - LEFT - RIGHT,
    height,
  });
  const toY = (z: number): number => (height * (reach - z)) / (2 * reach);
  const labels = labelledValues(enter, reach, height).map((z) =>
    svgElement(
      document,
      'text',
      { class: 'muted', x: LEFT - LABEL_DROP, y: toY(z) + LABEL_DROP, 'text-anchor': 'end' },
      zWords(z),
    ),
  );
  const words = svgText(document, headline(terms), { class: 'over', x: LEFT, y: -LABEL_DROP - 2 });
  return svgElement(document, 'g', { transform: `translate(0,${top})` }, [...marks, frame, ...labels, words]);
}

/** A z as people write it. */
export function zWords(z: number): string {
  const text = String(Number(z.toFixed(2)) + 0);
  return text.replace('-', '−');
}

function headline({ name, points }: PanelTerms): string {
  const last = points.at(-1)?.z ?? null;
  return last === null ? `${name}, unknown on the last date` : `${name}, ${zWords(last)} on the last date`;
}

/** The values that are written beside a panel: the thresholds if there is room between them, and what has room then. */
function labelledValues(enter: number, reach: number, height: number): number[] {
  const unit = height / (2 * reach);
  const chosen: number[] = [];
  for (const group of [[enter, -enter], [reach, -reach], [0]]) {
    const values = [...chosen, ...group].sort((a, b) => a - b);
    const apart = values.every((z, i) => i === 0 || (z - (values[i - 1] ?? z)) * unit >= LABEL_SPACE);
    if (apart) chosen.push(...group);
  }
  return chosen;
}
