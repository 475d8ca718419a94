import type { Mark, Scene } from '../../generator/core/charts/scenes.js';
import { headMarks, layOut, legendMarks } from '../../generator/core/charts/svg-text.js';
import {
  colourOf,
  FAINT,
  FONT,
  HATCH_STEP,
  isHatched,
  type Paint,
  type Scheme,
  STROKES,
  TEXTS,
} from '../../generator/core/charts/chart-style.js';

/** Pixels of the picture for each pixel of the chart. */
const SCALE = 2;

/** Paints a chart with its title and legend on a new canvas: the same as its SVG file. */
export function paintChart(
  scene: Scene,
  heading: string,
  subheading: string,
  scheme: Scheme,
): HTMLCanvasElement {
  const { width, height, margin, left, top, legendTop } = layOut(scene, subheading);
  const canvas = document.createElement('canvas');
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas');
  context.scale(SCALE, SCALE);
  context.fillStyle = colourOf('card', scheme);
  context.fillRect(0, 0, width, height);
  const parts: [readonly Mark[], x: number, y: number][] = [
    [headMarks(heading, subheading), margin, 0],
    [scene.marks, left, top],
    [legendMarks(), margin, legendTop],
  ];
  for (const [marks, x, y] of parts) {
    context.save();
    context.translate(x, y);
    for (const mark of marks) paintMark(context, mark, width - x - margin, scheme);
    context.restore();
  }
  return canvas;
}

type BarMark = Mark & { kind: 'bar' };
type TextMark = Mark & { kind: 'text' };
type BarsMark = Mark & { kind: 'bars' };
type LineMark = Exclude<Mark, BarMark | BarsMark | TextMark>;

function paintMark(context: CanvasRenderingContext2D, mark: Mark, width: number, scheme: Scheme): void {
  if (mark.kind === 'bar') paintBar(context, mark, width, scheme);
  else if (mark.kind === 'bars') paintBars(context, mark, width, scheme);
  else if (mark.kind === 'text') paintText(context, mark, width, scheme);
  else paintLine(context, mark, width, scheme);
}

function paintLine(context: CanvasRenderingContext2D, mark: LineMark, width: number, scheme: Scheme): void {
  if (!setStroke(context, mark.paint, scheme)) return;
  context.beginPath();
  if (mark.kind === 'segment') {
    context.moveTo(mark.from * width, mark.top);
    context.lineTo(mark.to * width, mark.bottom);
  } else {
    for (const [i, point] of mark.points.entries()) {
      if (point === null) continue;
      const [x, y] = [point[0] * width, mark.top + point[1]];
      if ((mark.points[i - 1] ?? null) === null) context.moveTo(x, y);
      context.lineTo(x, y);
    }
  }
  context.stroke();
}

function paintBars(context: CanvasRenderingContext2D, mark: BarsMark, width: number, scheme: Scheme): void {
  const { spans, top, height, paint, isFaint } = mark;
  context.globalAlpha = isFaint ? FAINT : 1;
  for (const [from, to] of spans)
    paintBar(context, { kind: 'bar', from, to, top, height, paint }, width, scheme);
  context.globalAlpha = 1;
}

function paintBar(context: CanvasRenderingContext2D, mark: BarMark, width: number, scheme: Scheme): void {
  const { from, to, top, height, paint } = mark;
  const left = Math.round(from * width);
  const size = Math.round(to * width) - left;
  if (setStroke(context, paint, scheme)) {
    context.strokeRect(left + 0.5, top + 0.5, size - 1, height - 1);
    return;
  }
  const label = paint as Exclude<Paint, keyof typeof STROKES | 'ground'>; // the ground is no bar
  if (!isHatched(label)) {
    context.fillStyle = colourOf(label, scheme);
    context.fillRect(left, top, size, height);
    return;
  }
  context.save();
  context.beginPath();
  context.rect(left, top, size, height);
  context.clip();
  setStroke(context, 'hatch', scheme);
  context.beginPath();
  for (let x = left - height; x < left + size; x += HATCH_STEP * Math.SQRT2) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

function paintText(context: CanvasRenderingContext2D, mark: TextMark, width: number, scheme: Scheme): void {
  const { x, dx, y, anchor, text, style } = mark;
  const { size, weight, colour, halo } = TEXTS[style];
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = anchor === 'middle' ? 'center' : anchor;
  const place = [text, x * width + dx, y] as const;
  if (halo) {
    context.setLineDash([]);
    context.lineJoin = 'round';
    context.lineWidth = 4;
    context.strokeStyle = colourOf('card', scheme);
    context.strokeText(...place);
  }
  context.fillStyle = colourOf(colour, scheme);
  context.fillText(...place);
}

/** Sets how lines of a paint are drawn. Returns false for a paint that fills. */
function setStroke(context: CanvasRenderingContext2D, paint: Paint, scheme: Scheme): boolean {
  const stroke = Object.entries<{ colour: 'ink'; width: number; dash?: readonly number[] }>(
    STROKES as never, // of different literals
  ).find(([name]) => name === paint)?.[1];
  if (stroke === undefined) return false;
  context.strokeStyle = colourOf(stroke.colour, scheme);
  context.lineWidth = stroke.width;
  context.setLineDash([...(stroke.dash ?? [])]);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  return true;
}
