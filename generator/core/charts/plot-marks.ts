import * as Plot from '@observablehq/plot';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { takeMarks, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Where marks are drawn: the days from left to right, and values from -`reach` to `reach` from bottom to top. */
export type PlotTerms = {
  readonly document: SvgDocument;
  readonly window: ChartWindow;
  readonly height: number;
  readonly reach?: number;
};

/** Draws marks over the days of a window; days are day numbers. */
export function plotMarks(
  { document, window, height, reach = 1 }: PlotTerms,
  marks: readonly Plot.Markish[],
): SvgElement[] {
  const plot: unknown = Plot.plot({
    document: document as never, // as much of a document as the library needs
    width: WIDTH,
    height,
    margin: 0,
    marginLeft: LEFT,
    marginRight: RIGHT,
    x: { type: 'linear', domain: [window.from, window.to], axis: null },
    y: { type: 'linear', domain: [-reach, reach], axis: null },
    marks: [...marks],
  });
  return takeMarks(plot as SvgElement); // without captions and legends, a picture
}
