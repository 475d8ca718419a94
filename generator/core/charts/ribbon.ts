import { dayWords } from '../text/date-words.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';
import type { Mark } from './scene.js';
import { shareOf, type ChartWindow } from './time-axis.js';

/** Height of a ribbon, in pixels. */
export const RIBBON_HEIGHT = 26;

/** Days with the same label, as day numbers, from `from` up to but excluding `to`. */
export type Run = { readonly label: RegimeLabel; readonly from: number; readonly to: number };

/**
 * Draws the runs of a chain within a window, in a frame from its first day to the end of the window. Days without a regime
 * are hatched: indeterminate ones, gaps between runs, and the days after the last run.
 */
export function ribbonMarks(runs: readonly Run[], window: ChartWindow, top: number): Mark[] {
  const first = runs[0];
  if (first === undefined || first.from >= window.to) return [];
  const box = { top, height: RIBBON_HEIGHT } as const;
  const bars = withGaps(runs, window.to).flatMap(({ label, from, to }): Mark[] => {
    const visible = { from: Math.max(from, window.from), to: Math.min(to, window.to) };
    if (visible.from >= visible.to) return [];
    const title = `${label ?? 'no data'}, ${daysWords(from, to)}`;
    const place = { from: shareOf(visible.from, window), to: shareOf(visible.to, window) };
    return [{ kind: 'bar', ...place, ...box, paint: label ?? 'indeterminate', title }];
  });
  const start = Math.max(first.from, window.from);
  return [...bars, { kind: 'bar', from: shareOf(start, window), to: 1, ...box, paint: 'frame' }];
}

function withGaps(runs: readonly Run[], end: number): (Omit<Run, 'label'> & { label?: RegimeLabel })[] {
  return runs.flatMap((run, i) => {
    const next = runs[i + 1]?.from ?? end;
    return next > run.to ? [run, { from: run.to, to: next }] : [run];
  });
}

function daysWords(from: number, to: number): string {
  return to - from === 1 ? dayWords(from) : `${dayWords(from)} to ${dayWords(to - 1)}`;
}
