import type { BaselineTerms } from '../../../schemas/types.generated.js';
import type { Column } from '../input-series.js';
import { createRollingWindow } from './rolling-window.js';

/** Where a signal usually lies: median and scale of its own past, and on how many values they rest. */
export type Baseline = { readonly median: number; readonly scale: number };

/** The baseline of each date, null where too few values are available, and the count of values of each date. */
export type BaselineSeries = {
  readonly baselines: readonly (Baseline | null)[];
  readonly counts: readonly number[];
};

/**
 * Median and MAD of the smoothed values in the window of each date, from one window that slides.
 * Shape: one per date, same order. Source: methodology v1 §2.2 (Rousseeuw and Croux 1993).
 */
export function followBaseline(smoothed: Column, terms: BaselineTerms, minScale: number): BaselineSeries {
  const { from_day: from, to_day: to } = terms.window;
  const window = createRollingWindow(to - from + 2);
  const baselines: (Baseline | null)[] = [];
  const counts: number[] = [];
  for (let t = 0; t < smoothed.length; t += 1) {
    const entering = smoothed[t + to];
    const leaving = smoothed[t + from - 1];
    if (entering !== null && entering !== undefined) window.add(entering);
    if (leaving !== null && leaving !== undefined) window.remove(leaving);
    counts.push(window.size());
    baselines.push(window.size() < terms.min_values ? null : toBaseline());
  }
  return { baselines, counts };

  function toBaseline(): Baseline {
    const median = window.median();
    return { median, scale: Math.max(terms.mad_factor * window.medianDistance(median), minScale) };
  }
}
