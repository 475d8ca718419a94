import * as Plot from '@observablehq/plot';
import { toDayNumber } from '../../../schemas/dates.js';
import type { LabelRun } from '../../../schemas/types.generated.js';
import { LABELS } from './chart-style.js';
import { LEFT, RIGHT, WIDTH, type ChartWindow } from './chart-window.js';
import { plotMarks } from './plot-marks.js';
import { svgElement, type SvgDocument, type SvgElement } from './svg-drawing.js';

/** Units that a character of a run's name takes at most, and what is left free beside it. */
const CHARACTER = 14;
const BESIDE = 16;

/** Where a ribbon lies, and the days that its picture shows. */
export type RibbonTerms = {
  readonly document: SvgDocument;
  /** Name of the picture, with which the ids of its patterns begin. */
  readonly name: string;
  readonly window: ChartWindow;
  readonly top: number;
  readonly height: number;
};

/** The id of the pattern of a label in a picture. */
export function patternId(name: string, label: string): string {
  return `${name}-${label}`;
}

/** A ribbon of the runs that the window shows: each filled with its label's pattern, and named where it is wide enough. */
export function drawRibbon(
  runs: readonly LabelRun[],
  { document, name, window, top, height }: RibbonTerms,
): SvgElement {
  const { from, to } = window;
  const shown = runs
    .map(({ label, first, last }) => ({
      label,
      start: Math.max(from, toDayNumber(first)),
      end: Math.min(to, toDayNumber(last) + 1),
      says: first === last ? `${label}, ${first}` : `${label}, ${first} to ${last}`,
    }))
    .filter(({ start, end }) => start < end);
  const unitsPerDay = (WIDTH - LEFT - RIGHT) / (to - from);
  const named = shown.filter(
    ({ label, start, end }) => (end - start) * unitsPerDay >= label.length * CHARACTER + BESIDE,
  );
  const marks = plotMarks({ document, window, height }, [
    ...LABELS.map((label) =>
      Plot.rectX(
        shown.filter((run) => run.label === label),
        { x1: 'start', x2: 'end', fill: `url(#${patternId(name, label)})`, title: 'says' },
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
