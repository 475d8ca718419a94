import * as Plot from '@observablehq/plot';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { extractMarks, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Options for `plotMarks`: days run from left to right, values from `-maxAbsY` at the bottom to `maxAbsY` at the top. */
export type PlotOptions = {
  readonly document: SvgDocument;
  readonly window: ChartWindow;
  readonly height: number;
  readonly maxAbsY?: number;
};

/** Draws marks over the days of a window; days are day numbers. */
export function plotMarks(
  { document, window, height, maxAbsY = 1 }: PlotOptions,
  marks: readonly Plot.Markish[],
): SvgElement[] {
  const plot: unknown = Plot.plot({
    document: document as never, // implements the part of Document that the library uses
    width: WIDTH,
    height,
    margin: 0,
    marginLeft: LEFT,
    marginRight: RIGHT,
    x: { type: 'linear', domain: [window.from, window.to], axis: null },
    y: { type: 'linear', domain: [-maxAbsY, maxAbsY], axis: null },
    marks: [...marks],
  });
  return extractMarks(plot as SvgElement); // without captions and legends, the plot is an svg element
}
