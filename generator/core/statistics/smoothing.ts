import type { DayOffsets, TrimSettings } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';

/**
 * Computes the trimmed mean of the available values in the window around each date.
 * Shape: one per date, same order; null where the trim table has no row for the number of values.
 * Source: methodology v1 §2.1 (trimmed mean: Tukey; Huber 1981).
 */
export function smooth(values: Column, window: DayOffsets, trim: readonly TrimSettings[]): Column {
  return values.map((_, t) => {
    const available: number[] = [];
    for (let i = Math.max(0, t + window.from_day); i <= t + window.to_day; i += 1) {
      const value = values[i];
      if (value !== null && value !== undefined) available.push(value);
    }
    const row = trim.find((settings) => available.length >= settings.min_values);
    return row === undefined ? null : trimmedMean(available, row.drop_each_end);
  });
}

function trimmedMean(values: number[], drop: number): number {
  values.sort((a, b) => a - b);
  let sum = 0;
  for (let i = drop; i < values.length - drop; i += 1) sum += values[i] ?? NaN;
  return sum / (values.length - 2 * drop);
}
