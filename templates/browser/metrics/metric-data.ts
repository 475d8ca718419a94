import { type Run, toSeries } from '../../../generator/core/charts/chart-series.js';
import type { MetricLine } from '../../../generator/core/charts/metric-scene.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import { chartDataPath, chartMetricsPath } from '../../../schemas/paths.js';
import type { Chain, Chart, ChartMetrics, MetricName } from '../../../schemas/types.generated.js';

/** The metrics of a chain with values, in the order of the catalog. */
export type MetricData = ReadonlyMap<MetricName, MetricLine>;

/** Reads the metrics of a chain. @throws Error if they cannot be read. */
export async function fetchMetrics(chain: Chain): Promise<MetricData> {
  const { first_date: date, metrics } = (await fetchJson(chartMetricsPath(chain))) as ChartMetrics; // our own file, checked against its schema when it was published
  const first = toDayNumber(date);
  return new Map(
    metricsOf(chain).flatMap((metric) => {
      const values = metrics[metric];
      return values === undefined ? [] : [[metric, { chain, metric, first, values }]];
    }),
  );
}

/** The regimes of chains. */
export type RegimeRuns = ReadonlyMap<Chain, readonly Run[]>;

/** Reads the regimes of a chain. @throws Error if they cannot be read. */
export async function fetchRuns(chain: Chain): Promise<readonly Run[]> {
  return toSeries((await fetchJson(chartDataPath(chain))) as Chart).runs; // as above
}

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}
