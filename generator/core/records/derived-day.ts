import { metricsOf } from '../../../schemas/catalog.js';
import type {
  DerivedDay,
  DerivedSettings,
  MeanSettings,
  Methodology,
  MetricSummary,
} from '../../../schemas/types.generated.js';
import { columnOf, type Column, type InputSeries } from '../input/input-series.js';
import { quantitySeries } from '../methodology/quantities.js';
import { createRounding, type Rounding } from '../statistics/rounding.js';
import { toIdentity, type Provenance } from './provenance.js';

/** Creates the writer of `derived-day/1`: moving means, changes, rank and ratios of date `t`. Source: methodology v1 §11. */
export function createDerivedWriter(
  series: InputSeries,
  methodology: Methodology,
): (t: number, provenance: Provenance) => DerivedDay {
  const rounding = createRounding(methodology.rounding);
  const columns = metricsOf(series.chain).map((metric) => [metric, columnOf(series, metric)] as const);
  const ratios = ratioColumns(series, methodology);
  return (t, provenance) => {
    const ratio = (name: string): number | null => {
      const value = ratios[name]?.[t] ?? null;
      return value === null ? null : rounding.quantity(value);
    };
    const record: DerivedDay = {
      ...toIdentity('derived-day/1', series, t, provenance, methodology.version),
      metrics: Object.fromEntries(
        columns.map(([metric, column]) => [metric, summarize(column, t, methodology.derived, rounding)]),
      ),
      fee_mean: ratio('fee_mean'),
      block_interval_mean: ratio('block_interval_mean'),
      tx_per_active_address: ratio('tx_per_active_address'),
    };
    return ratios['utilization'] === undefined ? record : { ...record, utilization: ratio('utilization') };
  };
}

function ratioColumns(series: InputSeries, methodology: Methodology): Record<string, Column> {
  const columns: Record<string, Column> = {};
  for (const name of methodology.derived.ratios) {
    const quantity = methodology.quantities[name];
    const column = quantity && quantitySeries(quantity, series);
    if (column !== undefined) columns[name] = column;
  }
  return columns;
}

function summarize(column: Column, t: number, settings: DerivedSettings, rounding: Rounding): MetricSummary {
  const mean = (of: MeanSettings, at: number): number | null => meanAt(column, at, of);
  const change = ({ mean: name, lag_days: lag }: DerivedSettings['change_7d']): number | null => {
    const now = mean(settings[name], t);
    const before = mean(settings[name], t - lag);
    if (now === null || before === null || before === 0) return null;
    const ratio = now / before - 1;
    return Number.isFinite(ratio) ? rounding.combined(ratio) : null;
  };
  const rounded = (x: number | null): number | null => (x === null ? null : rounding.quantity(x));
  return {
    ma7: rounded(mean(settings.ma7, t)),
    ma30: rounded(mean(settings.ma30, t)),
    change_7d: change(settings.change_7d),
    change_30d: change(settings.change_30d),
    percentile_365d: rankAt(column, t, settings, rounding),
  };
}

/** Returns the mean of the available values in the last `days` dates up to `t`, or null when there are too few. */
function meanAt(column: Column, t: number, settings: MeanSettings): number | null {
  let sum = 0;
  let count = 0;
  for (let i = Math.max(0, t - settings.days + 1); i <= t; i += 1) {
    const value = column[i] ?? null;
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count < settings.min_values ? null : sum / count;
}

/** Returns the share of the year's values below the day's own value; equal values count in part. */
function rankAt(column: Column, t: number, settings: DerivedSettings, rounding: Rounding): number | null {
  const { days, min_values: minValues } = settings.percentile_365d;
  const own = column[t] ?? null;
  if (own === null) return null;
  let [below, equal, count] = [0, 0, 0];
  for (let i = Math.max(0, t - days + 1); i <= t; i += 1) {
    const value = column[i] ?? null;
    if (value === null) continue;
    count += 1;
    if (value < own) below += 1;
    else if (value === own) equal += 1;
  }
  return count < minValues ? null : rounding.combined((below + settings.equal_share * equal) / count);
}
