/** A forecast probability and its outcome. */
export type Forecast = { readonly score: number; readonly hit: boolean };

const BINS = 10;

/**
 * Returns the expected calibration error: in ten bins of equal width, the distance between mean score and share of hits,
 * weighted by the number of forecasts in the bin. NaN without a forecast.
 * Precondition: scores are in [0, 1]. Source: Guo et al. 2017; methodology v1, Evidence.
 */
export function expectedCalibrationError(forecasts: readonly Forecast[]): number {
  const bins = new Array<number>(BINS).fill(0);
  for (const { score, hit } of forecasts) {
    const bin = Math.min(BINS - 1, Math.floor(BINS * score));
    bins[bin] = (bins[bin] ?? 0) + score - (hit ? 1 : 0);
  }
  return bins.reduce((sum, surplus) => sum + Math.abs(surplus), 0) / forecasts.length;
}

/** Mean score and share of hits; `gap` is the distance between the two. */
export type Calibration = {
  readonly days: number;
  readonly mean_score: number;
  readonly hit_share: number;
  readonly gap: number;
};

/** Compares the mean score with the share of hits. Precondition: at least one. */
export function calibrationOf(forecasts: readonly Forecast[]): Calibration {
  const days = forecasts.length;
  const meanScore = forecasts.reduce((sum, { score }) => sum + score, 0) / days;
  const hitShare = forecasts.filter(({ hit }) => hit).length / days;
  return { days, mean_score: meanScore, hit_share: hitShare, gap: Math.abs(meanScore - hitShare) };
}
