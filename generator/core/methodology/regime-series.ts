import type {
  AxisName,
  DayStatus,
  Dimension,
  Level,
  Methodology,
  RegimeLabel,
} from '../../../schemas/types.generated.js';
import { columnOf, type InputSeries } from '../input/input-series.js';
import { computeAxes, computeDimensions, type AxesZ, type DimensionZ } from './axes.js';
import { computeDataQuality, type DataQuality } from './data-quality.js';
import { decideLabel, followRuns, type Run } from './labels.js';
import { followLevels } from './levels.js';
import { createRounding, type Rounding } from '../statistics/rounding.js';
import { computeSignals, methodologyInputs, type SignalSeries } from './signals.js';

/**
 * All conclusions of the methodology about a series. Shape: one element per date in every column.
 * No element depends on a later date.
 */
export type RegimeSeries = {
  readonly methodology: Methodology;
  readonly rounding: Rounding;
  readonly dates: readonly string[];
  readonly signals: readonly SignalSeries[];
  readonly dimensions: DimensionZ;
  readonly dimensionLevels: { readonly [dimension in Dimension]?: readonly Level[] };
  readonly axes: AxesZ;
  readonly levels: { readonly [axis in AxisName]: readonly Level[] };
  readonly quality: readonly DataQuality[];
  readonly labels: readonly RegimeLabel[];
  readonly runs: readonly Run[];
  readonly status: readonly DayStatus[];
};

/** Computes the regime of every date from that date and earlier ones, in nearly linear time. */
export function computeRegimes(series: InputSeries, methodology: Methodology): RegimeSeries {
  const rounding = createRounding(methodology.rounding);
  const signals = computeSignals(series, methodology, rounding);
  const dimensions = computeDimensions(signals, rounding);
  const dimensionLevels = Object.fromEntries(
    Object.entries(dimensions).map(([dimension, z]) => [dimension, followLevels(z, methodology.levels)]),
  );
  const axes = computeAxes(dimensions, methodology, rounding);
  const levels = {
    demand: followLevels(axes.demand, methodology.levels),
    pressure: followLevels(axes.pressure, methodology.levels),
  };
  const quality = computeDataQuality(signals, methodology.data_quality, rounding);
  const inputs = methodologyInputs(methodology, series.chain).map((metric) => columnOf(series, metric));
  const labels = series.dates.map((_, t) =>
    decideLabel(
      {
        demand: levelAt(axes.demand[t], levels.demand[t]),
        pressure: levelAt(axes.pressure[t], levels.pressure[t]),
        hasInput: inputs.some((column) => (column[t] ?? null) !== null),
        dataQuality: quality[t]?.data_quality ?? 0,
      },
      methodology,
    ),
  );
  const status = labels.map((label, t) => statusOf(label, series.present[t] ?? false));
  const { dates } = series;
  return {
    methodology,
    rounding,
    dates,
    signals,
    dimensions,
    dimensionLevels,
    axes,
    levels,
    quality,
    labels,
    runs: followRuns(labels),
    status,
  };
}

/** Returns the level to publish for an axis or dimension: null when it is missing. */
export function levelAt(z: number | null | undefined, level: Level | undefined): Level | null {
  return z === null || z === undefined || level === undefined ? null : level;
}

function statusOf(label: RegimeLabel, present: boolean): DayStatus {
  if (!present) return 'missing';
  return label === 'indeterminate' ? 'degraded' : 'available';
}
