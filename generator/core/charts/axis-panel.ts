import * as Plot from '@observablehq/plot';
import type { Methodology } from '../../../schemas/types.generated.js';
import { zWords } from '../text/number-words.js';
import { svgText } from './chart-page.js';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Minimum distance between axis labels, in SVG units. */
const LABEL_SPACE = 22;
/** Gap between a label and the panel, and from the middle of a label to its baseline, in SVG units. */
const LABEL_DROP = 6;

/** A day of an axis; a null z is a gap. */
export type AxisPoint = { readonly day: number; readonly z: number | null };

/** Options for `drawPanel`. */
export type PanelOptions = {
  readonly document: SvgDocument;
  readonly axis: 'demand' | 'pressure';
  readonly name: string;
  /** One per day of the window. */
  readonly points: readonly AxisPoint[];
  readonly thresholds: Methodology['levels'];
  readonly window: ChartWindow;
  /** The z at the upper edge; the lower edge is at its negative. */
  readonly maxAbsZ: number;
  readonly top: number;
  readonly height: number;
};

/** Draws the line of an axis with the thresholds of its levels. */
export function drawPanel(options: PanelOptions): SvgElement {
  const { document, axis, points, thresholds, window, maxAbsZ, top, height } = options;
  const { enter, exit } = thresholds;
  const marks = plotMarks({ document, window, height, maxAbsY: maxAbsZ }, [
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
  const toY = (z: number): number => (height * (maxAbsZ - z)) / (2 * maxAbsZ);
  const labels = labelledValues(enter, maxAbsZ, height).map((z) =>
    svgElement(
      document,
      'text',
      { class: 'muted', x: LEFT - LABEL_DROP, y: toY(z) + LABEL_DROP, 'text-anchor': 'end' },
      String(z),
    ),
  );
  const words = svgText(document, headline(options), { class: 'over', x: LEFT, y: -LABEL_DROP - 2 });
  return svgElement(document, 'g', { transform: `translate(0,${top})` }, [...marks, frame, ...labels, words]);
}

function headline({ name, points }: PanelOptions): string {
  const last = points.at(-1)?.z ?? null;
  return last === null ? `${name}, unknown on the last date` : `${name}, ${zWords(last)} on the last date`;
}

/** Returns the axis labels: first the thresholds, then the edges and zero, each only if it fits. */
function labelledValues(enter: number, maxAbsZ: number, height: number): number[] {
  const unitsPerZ = height / (2 * maxAbsZ);
  const chosen: number[] = [];
  for (const group of [[enter, -enter], [maxAbsZ, -maxAbsZ], [0]]) {
    const values = [...chosen, ...group].sort((a, b) => a - b);
    const fits = values.every((z, i) => i === 0 || (z - (values[i - 1] ?? z)) * unitsPerZ >= LABEL_SPACE);
    if (fits) chosen.push(...group);
  }
  return chosen;
}
