import { isCounted, metricsOf } from '../../../schemas/catalog.js';
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

/**
 * Returns a simulated history with slow waves, bursts and gaps. In a long one, every label occurs. Each metric has draws of
 * its own, so that another metric in the catalog changes no value. Only + - * / are used: IEEE 754 defines their results
 * exactly, so that the values are the same on every machine.
 */
export function randomSeries(options: RandomSeriesOptions): InputSeries {
  const { chain, seed, days, missingRows = 0 } = options;
  const metrics = metricsOf(chain);
  const first = toDayNumber(options.firstDate ?? '2022-01-01');
  const columns = metrics.map((metric) => randomColumn(metric, options));
  const random = createRandom(`${chain} rows ${seed}`);
  const rows: InputRow[] = [];
  for (let t = 0; t < days; t += 1) {
    const isEdge = t === 0 || t === days - 1;
    if (random() < missingRows && !isEdge) continue;
    rows.push({ day: first + t, values: columns.map((column) => column[t] ?? null) });
  }
  return toInputSeries(chain, metrics, rows, options.sources ?? [{ name: 'made-up', licence: 'none' }]);
}

function randomColumn(
  metric: MetricName,
  { chain, seed, days, missingCells = 0 }: RandomSeriesOptions,
): (number | null)[] {
  const random = createRandom(`${chain} ${metric} ${seed}`);
  const [length, phase, burst] = [40 + 160 * random(), random(), random()];
  return Array.from({ length: days }, (_, t) => {
    const wave = triangle(t / length + phase);
    const surge = triangle(t / (length * (2 + burst))) > 0.7 ? 1.5 : 0;
    const value = (SCALES[metric] ?? 100_000) * exp(0.4 * wave + surge + 0.1 * (random() - 0.5));
    const rounded = Number(value.toPrecision(8));
    if (random() < missingCells) return null;
    return isCounted(metric) ? Math.round(rounded) : rounded;
  });
}

/** Returns a wave between -1 and 1 with the period 1, which starts at 0 like a sine. */
function triangle(turns: number): number {
  const part = turns + 0.75 - Math.floor(turns + 0.75);
  return 4 * Math.abs(part - 0.5) - 1;
}

/** Returns approximately e^x: (1 + x / 1024)^1024 by ten squarings. */
function exp(x: number): number {
  let power = 1 + x / 1024;
  for (let i = 0; i < 10; i += 1) power *= power;
  return power;
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

/** Returns the series from `date` on. */
export function beginSeries(series: InputSeries, date: string): InputSeries {
  const first = series.dates.filter((each) => each < date).length;
  const metrics = Object.fromEntries(
    Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(first)]),
  );
  return { ...series, dates: series.dates.slice(first), present: series.present.slice(first), metrics };
}
