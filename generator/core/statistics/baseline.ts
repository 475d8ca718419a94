import type { BaselineSettings } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';
import { createRollingWindow } from './rolling-window.js';

/** The usual position and spread of a signal, from its own past. */
type Baseline = { readonly median: number; readonly scale: number };

/** The baseline of each date, null where too few values are available, and the number of values it rests on. */
export type BaselineSeries = {
  readonly baselines: readonly (Baseline | null)[];
  readonly counts: readonly number[];
};

/**
 * Computes median and MAD of the smoothed values in each date's window.
 * Shape: one per date, same order. Source: methodology v1 §2.2 (Rousseeuw and Croux 1993).
 */
export function followBaseline(
  smoothed: Column,
  settings: BaselineSettings,
  minScale: number,
): BaselineSeries {
  const { from_day: from, to_day: to } = settings.window;
  const window = createRollingWindow(to - from + 2); // one more than the window: a value enters before one leaves
  const baselines: (Baseline | null)[] = [];
  const counts: number[] = [];
  for (let t = 0; t < smoothed.length; t += 1) {
    const entering = smoothed[t + to];
    const leaving = smoothed[t + from - 1];
    if (entering !== null && entering !== undefined) window.add(entering);
    if (leaving !== null && leaving !== undefined) window.remove(leaving);
    counts.push(window.size());
    baselines.push(window.size() < settings.min_values ? null : toBaseline());
  }
  return { baselines, counts };

  function toBaseline(): Baseline {
    const median = window.median();
    return { median, scale: Math.max(settings.mad_factor * window.medianDistance(median), minScale) };
  }
}
