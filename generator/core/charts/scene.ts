import type { Paint, TextStyle } from './chart-style.js';

/**
 * A part of a chart. Horizontal positions are shares of the chart's width, from 0 to 1, so that a chart fills any width;
 * everything else is in pixels, so that text keeps its size.
 */
export type Mark =
  | {
      readonly kind: 'bar';
      readonly from: number;
      readonly to: number;
      readonly top: number;
      readonly height: number;
      readonly paint: Paint;
      readonly title?: string;
    }
  | {
      readonly kind: 'segment';
      readonly from: number;
      readonly to: number;
      readonly top: number;
      readonly bottom: number;
      readonly paint: Paint;
    }
  | {
      readonly kind: 'line';
      readonly top: number;
      readonly height: number;
      /** Points from left to right; null breaks the line. */
      readonly points: readonly (readonly [x: number, y: number] | null)[];
      readonly paint: Paint;
    }
  | {
      readonly kind: 'text';
      readonly x: number;
      /** Shift to the right, in pixels. */
      readonly dx: number;
      readonly y: number;
      readonly anchor: 'start' | 'middle' | 'end';
      readonly text: string;
      readonly style: TextStyle;
    };

/** A drawn chart: its height in pixels and its parts, from back to front. */
export type Scene = { readonly height: number; readonly marks: readonly Mark[] };

/** Returns a vertical line. */
export function verticalLine(x: number, top: number, bottom: number, paint: Paint): Mark {
  return { kind: 'segment', from: x, to: x, top, bottom, paint };
}

/** Returns a horizontal line over the whole width. */
export function horizontalLine(y: number, paint: Paint): Mark {
  return { kind: 'segment', from: 0, to: 1, top: y, bottom: y, paint };
}

/** Returns a text that begins at the left edge, or `dx` pixels to the right of it. */
export function textAtLeft(text: string, y: number, style: TextStyle, dx = 0): Mark {
  return { kind: 'text', x: 0, dx, y, anchor: 'start', text, style };
}

/** Returns a text that ends at the right edge. */
export function textAtRight(text: string, y: number, style: TextStyle): Mark {
  return { kind: 'text', x: 1, dx: 0, y, anchor: 'end', text, style };
}

/** Returns marks moved down by a number of pixels. */
export function moveDown(marks: readonly Mark[], by: number): Mark[] {
  return marks.map((mark): Mark => {
    if (mark.kind === 'text') return { ...mark, y: mark.y + by };
    if (mark.kind === 'segment') return { ...mark, top: mark.top + by, bottom: mark.bottom + by };
    return { ...mark, top: mark.top + by };
  });
}
