import * as Plot from '@observablehq/plot';
import { toDayNumber } from '../../../schemas/dates.js';
import type { LabelRun } from '../../../schemas/types.generated.js';
import { LABELS } from './chart-style.js';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Assumed width of a character of a run's name and the space around the name, in SVG units. */
const CHARACTER = 14;
const BESIDE = 16;

/** Options for `drawRibbon`. */
export type RibbonOptions = {
  readonly document: SvgDocument;
  /** Name of the chart: the prefix of its pattern ids. */
  readonly name: string;
  readonly window: ChartWindow;
  readonly top: number;
  readonly height: number;
};

/** Returns the id of a label's pattern in a chart. */
export function patternId(name: string, label: string): string {
  return `${name}-${label}`;
}

/** Draws the runs within the window, each filled with its label's pattern and named if it is wide enough. */
export function drawRibbon(
  runs: readonly LabelRun[],
  { document, name, window, top, height }: RibbonOptions,
): SvgElement {
  const { from, to } = window;
  const visible = runs
    .map(({ label, first, last }) => ({
      label,
      start: Math.max(from, toDayNumber(first)),
      end: Math.min(to, toDayNumber(last) + 1),
      text: first === last ? `${label}, ${first}` : `${label}, ${first} to ${last}`,
    }))
    .filter(({ start, end }) => start < end);
  const unitsPerDay = (WIDTH - LEFT - RIGHT) / (to - from);
  const named = visible.filter(
    ({ label, start, end }) => (end - start) * unitsPerDay >= label.length * CHARACTER + BESIDE,
  );
  const marks = plotMarks({ document, window, height }, [
    ...LABELS.map((label) =>
      Plot.rectX(
        visible.filter((run) => run.label === label),
        { x1: 'start', x2: 'end', fill: `url(#${patternId(name, label)})`, title: 'text' },
      ),
    ),
    Plot.text(named, {
      x: ({ start, end }: { start: number; end: number }) => (start + end) / 2,
      text: 'label',
      className: 'run',
    }),
  ]);
  const frame = svgElement(document, 'rect', {
    class: 'frame',
    x: LEFT,
    y: 0,
    width: WIDTH - LEFT - RIGHT,
    height,
  });
  return svgElement(document, 'g', { transform: `translate(0,${top})` }, [...marks, frame]);
}
