import { metricsOf } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import { chartMetricsPath } from '../../../schemas/paths.js';
import type { Chain, ChartMetrics, GoldDay } from '../../../schemas/types.generated.js';
import { type InputSeries, metricsWithValues, toInputSeries } from '../input/input-series.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from './artifact.js';

/** The metrics of the dates in force of a chain, as its gold records have them. */
export type MetricHistory = Pick<ChartMetrics, 'updated_through' | 'first_date' | 'metrics'>;

/** Returns the metrics of the dates of a series that are in force. Precondition: at least one date is. */
export function metricsOfSeries(series: InputSeries, inForce: ReadonlySet<string>): MetricHistory {
  const isShown = series.dates.map((date) => inForce.has(date));
  const [first, last] = [isShown.indexOf(true), isShown.lastIndexOf(true)];
  const columns = metricsWithValues(series).map((metric) => {
    const values = (series.metrics[metric] ?? []).map((value, t) => (isShown[t] === true ? value : null));
    return [metric, values.slice(first, last + 1)] as const;
  });
  return {
    updated_through: series.dates[last] ?? '',
    first_date: series.dates[first] ?? '',
    metrics: Object.fromEntries(columns.filter(([, values]) => values.some((value) => value !== null))),
  };
}

/** Returns the metrics that published records hold. Precondition: at least one day; dates ascend. */
export function metricsOfRecords(chain: Chain, gold: readonly GoldDay[]): MetricHistory {
  const metrics = metricsOf(chain);
  const rows = gold.map(({ date, metrics: values }) => ({
    day: toDayNumber(date),
    values: metrics.map((metric) => values[metric] ?? null),
  }));
  return metricsOfSeries(toInputSeries(chain, metrics, rows, []), new Set(gold.map(({ date }) => date)));
}

/** Returns the file with the metrics of a chain for charts. */
export function chartMetricsFile(chain: Chain, history: MetricHistory): FileTemplate {
  return {
    path: chartMetricsPath(chain),
    type: JSON_TYPE,
    content: ({ revision }) =>
      jsonContent('chart-metrics', {
        schema: 'chart-metrics/1',
        chain,
        published_revision: revision,
        ...history,
      } satisfies ChartMetrics),
  };
}
