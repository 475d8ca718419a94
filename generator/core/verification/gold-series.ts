import { toDayNumber } from '../../../schemas/dates.js';
import type { Chain, GoldDay, MetricName, SourceSegment } from '../../../schemas/types.generated.js';
import { toInputSeries, type InputSeries } from '../input/input-series.js';

/**
 * Restores the input series from published gold days. A day without a source had no row.
 * Precondition: the days ascend by date, and the first and the last one had a row.
 */
export function toGoldSeries(
  chain: Chain,
  days: readonly GoldDay[],
  sources: readonly SourceSegment[],
): InputSeries {
  const metrics = Object.keys(days[0]?.metrics ?? {}) as MetricName[]; // closed by the gold schema
  const rows = days
    .filter((day) => day.source !== null)
    .map((day) => ({
      day: toDayNumber(day.date),
      values: metrics.map((metric) => day.metrics[metric] ?? null),
    }));
  return toInputSeries(chain, metrics, rows, sources);
}
