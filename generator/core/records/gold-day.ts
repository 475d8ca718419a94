import { metricsOf } from '../../../schemas/catalog.js';
import type { GoldDay } from '../../../schemas/types.generated.js';
import { columnOf, sourceOn, type InputSeries } from '../input/input-series.js';
import { toIdentity, type Provenance } from './provenance.js';

/** Creates the writer of `gold-day/1`: the metrics of date `t` as they were read, and the name of their source. */
export function createGoldWriter(
  series: InputSeries,
  methodologyVersion: string,
): (t: number, provenance: Provenance) => GoldDay {
  const columns = metricsOf(series.chain).map((metric) => [metric, columnOf(series, metric)] as const);
  return (t, provenance) => ({
    ...toIdentity('gold-day/1', series, t, provenance, methodologyVersion),
    metrics: Object.fromEntries(columns.map(([metric, column]) => [metric, column[t] ?? null])),
    source: series.present[t] ? (sourceOn(series, series.dates[t] ?? '')?.name ?? null) : null,
  });
}
