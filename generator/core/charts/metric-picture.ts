import { CHART_DAYS } from '../artifacts/regime-calendar.js';
import type { MetricHistory } from '../artifacts/chart-metrics.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { toDayNumber } from '../../../schemas/dates.js';
import type { DrawnChart } from './chart-files.js';
import { eventsOf } from './chart-events.js';
import type { Run } from './chart-series.js';
import { headingOf, metricScene, type MetricLine } from './metric-scene.js';
import { windowOf, windowWords } from './scenes.js';

/** Returns the metrics of a chain that have values, in the order of the catalog. */
export function linesOf(chain: Chain, { first_date: date, metrics }: MetricHistory): MetricLine[] {
  const first = toDayNumber(date);
  return Object.entries(metrics).map(([name, values]) => ({
    chain,
    metric: name as MetricName, // by the schema
    first,
    values,
  }));
}

/** Draws the last two years of a metric, as pages show it without a script. */
export function drawMetric(line: MetricLine, runs: readonly Run[]): DrawnChart {
  const { chain, first, values } = line;
  const window = windowOf(first, first + values.length - 1, CHART_DAYS);
  const label = `${headingOf([line])}, ${windowWords(window)}`;
  return {
    name: chain,
    label,
    description: label,
    heading: headingOf([line]),
    window,
    scene: (width) => metricScene({ lines: [{ line, runs }], events: eventsOf([chain]), window, width }),
  };
}
