import type { InputSeries } from '../../generator/core/input/input-series.js';
import {
  computeRegimes,
  type ConfidenceFeatures,
  confidenceScore,
  marginAt,
  missingSharesAt,
  type RegimeSeries,
  speedAt,
} from '../../generator/core/methodology/regime-series.js';
import type { Chain, Methodology, RegimeLabel } from '../../schemas/types.generated.js';

/** A date with its real-time label and its label in hindsight. */
export type JudgedDay = {
  readonly chain: Chain;
  readonly date: string;
  readonly label: RegimeLabel;
  readonly score: number;
  /** Inputs of the confidence score; null if the label is `indeterminate`. */
  readonly features: ConfidenceFeatures | null;
  readonly hindsight: RegimeLabel;
};

/** Judges every date of a series in real time and in hindsight. Shape: one per date, same order. */
export function judgeDays(series: InputSeries, methodology: Methodology): JudgedDay[] {
  const regimes = computeRegimes(series, methodology);
  const hindsightLabels = computeRegimes(series, inHindsight(methodology)).labels;
  return series.dates.map((date, t) => {
    const features = featuresAt(t, regimes);
    return {
      chain: series.chain,
      date,
      label: regimes.labels[t] ?? 'indeterminate',
      score: features === null ? 0 : confidenceScore(features, methodology.confidence, regimes.rounding),
      features,
      hindsight: hindsightLabels[t] ?? 'indeterminate',
    };
  });
}

/** Returns the methodology with the centred smoothing window of hindsight. Source: methodology v1 §7. */
export function inHindsight(methodology: Methodology): Methodology {
  const { smoothing, hindsight } = methodology;
  return { ...methodology, smoothing: { ...smoothing, window: hindsight.smoothing_window } };
}

function featuresAt(t: number, regimes: RegimeSeries): ConfidenceFeatures | null {
  const { axes, levels, methodology, rounding, labels, runs, signals } = regimes;
  const margin = marginAt(t, axes, levels, methodology.levels, rounding);
  if (margin === null || labels[t] === 'indeterminate') return null;
  const speed = speedAt(t, axes, methodology.confidence.speed_lag_days, rounding);
  return { margin, runDays: runs[t]?.days ?? 1, speed, missing: missingSharesAt(t, signals) };
}
