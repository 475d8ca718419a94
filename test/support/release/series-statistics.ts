import {
  historyOfSeries,
  type LabelStatistics,
  labelStatistics,
} from '../../../generator/core/artifacts/regimes.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import type { Methodology } from '../../../schemas/types.generated.js';

/** Returns what the labels of a series have meant, with all its dates in force. */
export function seriesStatistics(series: InputSeries, methodology: Methodology): LabelStatistics {
  const history = historyOfSeries(series, computeRegimes(series, methodology), new Set(series.dates));
  return labelStatistics(series.chain, history, methodology);
}
