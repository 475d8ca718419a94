import { metricsOf } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import type { Chain, MetricName, SourceSegment } from '../../../schemas/types.generated.js';
import {
  toInputSeries,
  type InputRow,
  type InputSeries,
} from '../../../generator/core/input/input-series.js';
import { createRandom } from '../random/seeded.js';

/** Options for `randomSeries`. `missingCells` and `missingRows` are shares of all cells and dates. */
export type RandomSeriesOptions = {
  readonly chain: Chain;
  readonly seed: number;
  readonly days: number;
  readonly firstDate?: string;
  readonly missingCells?: number;
  readonly missingRows?: number;
  readonly sources?: readonly SourceSegment[];
};

const SCALES: { readonly [metric in MetricName]?: number } = {
  fees_total: 80,
  fee_median: 0.0004,
  gas_price_mean: 30,
  gas_limit_mean: 30_000_000,
  gas_used: 100_000_000_000,
  block_count: 6_500,
  block_weight: 20_000_000_000,
};

/** Returns a simulated history with slow waves, bursts and gaps. In a long one, every label occurs. */
export function randomSeries(options: RandomSeriesOptions): InputSeries {
  const { chain, seed, days, missingCells = 0, missingRows = 0 } = options;
  const random = createRandom(seed);
  const metrics = metricsOf(chain);
  const first = toDayNumber(options.firstDate ?? '2022-01-01');
  const waves = metrics.map(() => ({ length: 40 + 160 * random(), phase: random(), burst: random() }));
  const rows: InputRow[] = [];
  for (let t = 0; t < days; t += 1) {
    const edge = t === 0 || t === days - 1;
    const skip = random() < missingRows && !edge;
    const values = metrics.map((metric, m) => {
      const { length, phase, burst } = waves[m] ?? { length: 1, phase: 0, burst: 0 };
      const wave = Math.sin(2 * Math.PI * (t / length + phase));
      const surge = Math.sin((2 * Math.PI * t) / (length * (2 + burst))) > 0.9 ? 1.5 : 0;
      const value = (SCALES[metric] ?? 100_000) * Math.exp(0.4 * wave + surge + 0.1 * (random() - 0.5));
      return random() < missingCells ? null : Number(value.toPrecision(8));
    });
    if (!skip) rows.push({ day: first + t, values });
  }
  return toInputSeries(chain, metrics, rows, options.sources ?? [{ name: 'made-up', licence: 'none' }]);
}

/** Returns the series with one value replaced. */
export function editSeries(
  series: InputSeries,
  metric: MetricName,
  date: string,
  value: number | null,
): InputSeries {
  const t = series.dates.indexOf(date);
  const column = (series.metrics[metric] ?? []).map((before, i) => (i === t ? value : before));
  return { ...series, metrics: { ...series.metrics, [metric]: column } };
}

/** Returns the series without any value of some metrics from date `from` on; without `from`, on all dates. */
export function withoutMetrics(series: InputSeries, missing: readonly MetricName[], from = ''): InputSeries {
  const emptied = missing.map((metric) => [
    metric,
    (series.metrics[metric] ?? []).map((value, t) => ((series.dates[t] ?? '') < from ? value : null)),
  ]);
  return { ...series, metrics: { ...series.metrics, ...Object.fromEntries(emptied) } };
}
