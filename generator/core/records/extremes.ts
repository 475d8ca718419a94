import type { DerivedSettings, Extreme } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';
import type { Rounding } from '../statistics/rounding.js';

/** A value of a series, after the values that it is compared with. */
type ComparedValue = {
  readonly column: Column;
  readonly dates: readonly string[];
  readonly t: number;
  /** Mean of the last 30 dates, null if they have too few values. */
  readonly mean: number | null;
};

/** An extreme of a quantity that the caller knows. */
type RankedExtreme = Omit<Extreme, 'quantity'>;

/**
 * Returns the windows in which the value of date `t` is one of the highest or lowest, the whole history first. A value that
 * another one of the window equals is not, nor one that is close to the mean of its month: so a flat series has none.
 * Causal: no value after `t` is read. Source: methodology v1 §11.
 */
export function extremesAt(
  compared: ComparedValue,
  settings: DerivedSettings['extremes'],
  rounding: Rounding,
): RankedExtreme[] {
  const { column, t, mean } = compared;
  const own = column[t] ?? null;
  if (own === null || mean === null || mean === 0) return [];
  const distance = Math.abs(rounding.combined(own / mean - 1));
  if (!(distance >= settings.min_distance)) return [];
  return (['highest', 'lowest'] as const).flatMap((kind) => rankAmongEarlier(compared, own, kind, settings));
}

/**
 * Ranks a value by going back in time, through the year and then the rest of the history. Most days have three values beyond
 * theirs within a few weeks, so that few of them look at the whole history.
 */
function rankAmongEarlier(
  { column, dates, t }: ComparedValue,
  own: number,
  kind: Extreme['kind'],
  { max_rank, year, history }: DerivedSettings['extremes'],
): RankedExtreme[] {
  const found: Omit<RankedExtreme, 'last_reached'>[] = [];
  const yearBegins = Math.max(0, t - year.days + 1);
  let [beyond, compared] = [0, 1];
  let last_reached: string | null = null;
  let i = t - 1;
  for (; i >= -1; i -= 1) {
    if (i === yearBegins - 1 && compared >= year.min_values)
      found.push({ kind, window: '365d', rank: beyond + 1, compared });
    const value = column[i] ?? null;
    if (value === null) continue;
    compared += 1;
    if (kind === 'highest' ? value < own : value > own) continue;
    last_reached ??= dates[i] ?? null;
    beyond += 1;
    if (value === own || beyond >= max_rank) break;
  }
  if (i < 0 && compared >= history.min_values)
    found.unshift({ kind, window: 'history', rank: beyond + 1, compared });
  return found.map((each) => ({ ...each, last_reached }));
}
