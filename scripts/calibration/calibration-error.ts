/** A probability that was given, and whether what it was given for came true. */
export type Forecast = { readonly score: number; readonly hit: boolean };

const BINS = 10;

/**
 * The expected calibration error: in ten bins of equal width, the distance between mean score and share of hits, each
 * weighted by its number of forecasts. NaN without a forecast.
 * Precondition: scores lie in [0, 1]. Source: Guo et al. 2017; methodology v1, Evidence.
 */
export function expectedCalibrationError(forecasts: readonly Forecast[]): number {
  const bins = new Array<number>(BINS).fill(0);
  for (const { score, hit } of forecasts) {
    const bin = Math.min(BINS - 1, Math.floor(BINS * score));
    bins[bin] = (bins[bin] ?? 0) + score - (hit ? 1 : 0);
  }
  return bins.reduce((sum, surplus) => sum + Math.abs(surplus), 0) / forecasts.length;
}

/** How sure we were on average, and how often rightly; `gap` is the distance between the two. */
export type Calibration = {
  readonly days: number;
  readonly mean_score: number;
  readonly hit_share: number;
  readonly gap: number;
};

/** Mean score against share of hits over all forecasts. Precondition: at least one. */
export function calibrationOf(forecasts: readonly Forecast[]): Calibration {
  const days = forecasts.length;
  const meanScore = forecasts.reduce((sum, { score }) => sum + score, 0) / days;
  const hitShare = forecasts.filter(({ hit }) => hit).length / days;
  return { days, mean_score: meanScore, hit_share: hitShare, gap: Math.abs(meanScore - hitShare) };
}
