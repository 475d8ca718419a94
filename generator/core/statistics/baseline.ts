import type { BaselineSettings, DayOffsets, TrimSettings } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';

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

/**
 * A multiset of numbers in ascending order, for statistics over a sliding window.
 * Every operation is at most linear in the window's size; nothing is sorted again.
 */
type RollingWindow = {
  readonly size: () => number;
  readonly add: (value: number) => void;
  /** Removes a value. Precondition: the window contains it. */
  readonly remove: (value: number) => void;
  /** Returns the median; (a + b) / 2 for an even count. Precondition: the window is not empty. */
  readonly median: () => number;
  /** Returns the median of |value - centre|. Precondition: the window is not empty. */
  readonly medianDistance: (centre: number) => number;
};

const { abs } = Math;
/** Distance of a value outside the window, larger than any other distance. */
const BEYOND = Infinity;

/** Creates an empty window for up to `capacity` values. */
export function createRollingWindow(capacity: number): RollingWindow {
  const sorted = new Float64Array(capacity);
  let size = 0;
  const at = (i: number): number => sorted[i] ?? BEYOND;

  function lowerBound(value: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function add(value: number): void {
    const i = lowerBound(value);
    sorted.copyWithin(i + 1, i, size);
    sorted[i] = value;
    size += 1;
  }

  function remove(value: number): void {
    const i = lowerBound(value);
    sorted.copyWithin(i, i + 1, size);
    size -= 1;
  }

  /** Walks outwards from `centre`, so that distances come in ascending order. */
  function medianDistance(centre: number): number {
    let right = lowerBound(centre);
    let left = right - 1;
    let lower = 0;
    let upper = 0;
    for (let rank = 0; rank <= size >> 1; rank += 1) {
      const toLeft = left >= 0 ? abs(at(left) - centre) : BEYOND;
      const toRight = right < size ? abs(at(right) - centre) : BEYOND;
      lower = upper;
      if (toLeft <= toRight) {
        upper = toLeft;
        left -= 1;
      } else {
        upper = toRight;
        right += 1;
      }
    }
    return size % 2 === 1 ? upper : (lower + upper) / 2;
  }

  return {
    size: () => size,
    add,
    remove,
    median: () => (size % 2 === 1 ? at(size >> 1) : (at((size >> 1) - 1) + at(size >> 1)) / 2),
    medianDistance,
  };
}

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
