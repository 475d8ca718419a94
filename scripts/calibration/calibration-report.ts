import type { ConfidenceFeatures } from '../../generator/core/methodology/regime-series.js';
import { byChain, LABEL_MEANINGS } from '../../schemas/catalog.js';
import type { Chain, ConfidenceSettings, RegimeLabel } from '../../schemas/types.generated.js';
import type { JudgedDay } from './hindsight.js';

/** First date of the test period; earlier dates are the training period. */
export const TESTED_FROM = '2022-01-01';

/** The coefficients of the confidence score. */
type Coefficients = Readonly<Pick<ConfidenceSettings, 'intercept' | 'margin' | 'run' | 'speed'>>;

/** Stability of a chain's labels, and their agreement with hindsight. */
export type ChainStability = {
  readonly labelled: number;
  readonly changes_per_30_days: number;
  readonly compared: number;
  readonly agreement: number;
};

/** The numbers of the Evidence section of methodology v1, measured on given days. */
export type CalibrationReport = {
  readonly labelled: number;
  /** Number of days that are labelled in real time and in hindsight: all calibration rests on these. */
  readonly compared: number;
  readonly chains: { readonly [chain in Chain]?: ChainStability };
  readonly coefficients: { readonly published: Coefficients; readonly refitted: Coefficients };
  readonly calibration_error: {
    /** Of the published score, which is reduced where signals are missing. */
    readonly published: number;
    /** Of the probability before that reduction. */
    readonly unreduced: number;
    readonly refitted: number;
    /** Of coefficients fitted only on days before `TESTED_FROM`, measured on those days. */
    readonly before: number;
    /** The same coefficients, measured on the later days. */
    readonly from: number;
  };
  /** Calibration of the probability before the reduction, by label. */
  readonly labels: readonly ({ readonly label: RegimeLabel } & Calibration)[];
  /** What the published score has meant, by its value, ascending. */
  readonly scores: readonly ScoreBin[];
};

/** The days whose score is at least `from` and below `to`; the last bin includes 1. */
type ScoreBin = {
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly mean_score: number;
  /** Share of these days whose label equals the hindsight label. */
  readonly hit_share: number;
  /** Share of these days with a labelled day three days later that has the same label. */
  readonly kept_share: number;
};

/** The lower ends of the bins: the levels of the confidence, each in two parts. */
const SCORE_BINS = [0, 0.5, 0.7, 0.8, 0.9, 0.95];
/** Number of days after which a label is compared with itself. */
const KEPT_DAYS = 3;

/** Measures judged days. Precondition: days of a chain are adjacent and ascend. */
export function toCalibrationReport(
  days: readonly JudgedDay[],
  settings: ConfidenceSettings,
): CalibrationReport {
  const compared = days.filter(isCompared);
  const before = compared.filter(({ date }) => date < TESTED_FROM);
  const from = compared.filter(({ date }) => date >= TESTED_FROM);
  const refitted = fit(compared, settings);
  const early = fit(before, settings);
  const { intercept, margin, run, speed } = settings;
  return {
    labelled: days.filter(isLabelled).length,
    compared: compared.length,
    chains: byChain((chain) => stabilityOf(days.filter((day) => day.chain === chain))),
    coefficients: { published: { intercept, margin, run, speed }, refitted: toCoefficients(refitted) },
    calibration_error: {
      published: expectedCalibrationError(compared.map(toForecast)),
      unreduced: expectedCalibrationError(compared.map(rescored([intercept, margin, run, speed], settings))),
      refitted: expectedCalibrationError(compared.map(rescored(refitted, settings))),
      before: expectedCalibrationError(before.map(rescored(early, settings))),
      from: expectedCalibrationError(from.map(rescored(early, settings))),
    },
    labels: labelCalibrations(compared, rescored([intercept, margin, run, speed], settings)),
    scores: scoreBins(days),
  };
}

type ComparedDay = JudgedDay & { readonly features: ConfidenceFeatures };

function isLabelled({ label }: JudgedDay): boolean {
  return label !== 'indeterminate';
}

function isCompared(day: JudgedDay): day is ComparedDay {
  return day.features !== null && isLabelled(day) && day.hindsight !== 'indeterminate';
}

function stabilityOf(days: readonly JudgedDay[]): ChainStability | undefined {
  if (days.length === 0) return undefined;
  const labelled = days.filter(isLabelled).length;
  const changes = days.filter((day, i) => {
    const before = days[i - 1];
    return before !== undefined && isLabelled(before) && isLabelled(day) && before.label !== day.label;
  }).length;
  const compared = days.filter(isCompared);
  const equal = compared.filter((day) => toForecast(day).hit).length;
  return {
    labelled,
    changes_per_30_days: (30 * changes) / labelled,
    compared: compared.length,
    agreement: equal / compared.length,
  };
}

function toForecast({ score, label, hindsight }: JudgedDay): Forecast {
  return { score, hit: label === hindsight };
}

/** Recomputes the score of a forecast with other coefficients. */
function rescored(
  coefficients: readonly number[],
  settings: ConfidenceSettings,
): (day: ComparedDay) => Forecast {
  return (day) => ({
    ...toForecast(day),
    score: logisticProbability(toRow(day.features, settings), coefficients),
  });
}

function fit(days: readonly ComparedDay[], settings: ConfidenceSettings): number[] {
  return fitLogistic(
    days.map(({ features }) => toRow(features, settings)),
    days.map((day) => toForecast(day).hit),
  );
}

/** Returns the values that the coefficients multiply. Source: methodology v1 §7. */
function toRow({ margin, runDays, speed }: ConfidenceFeatures, settings: ConfidenceSettings): number[] {
  return [
    1,
    Math.max(0, Math.min(settings.margin_limit, margin)),
    Math.min(runDays, settings.run_limit_days) / settings.run_limit_days,
    Math.min(settings.speed_limit, speed),
  ];
}

function toCoefficients([
  intercept = NaN,
  margin = NaN,
  run = NaN,
  speed = NaN,
]: readonly number[]): Coefficients {
  return { intercept, margin, run, speed };
}

function scoreBins(days: readonly JudgedDay[]): ScoreBin[] {
  const judged = days.flatMap((day, i) => {
    if (!isCompared(day)) return [];
    const later = days[i + KEPT_DAYS];
    const isFollowed = later?.chain === day.chain && isLabelled(later);
    return [{ ...toForecast(day), kept: isFollowed ? later.label === day.label : null }];
  });
  return SCORE_BINS.map((from, i) => {
    const to = SCORE_BINS[i + 1] ?? 1;
    const own = judged.filter(({ score }) => score >= from && (score < to || to === 1));
    const followed = own.filter(({ kept }) => kept !== null);
    const { days, mean_score, hit_share } = calibrationOf(own);
    const keptShare = followed.filter(({ kept }) => kept).length / followed.length;
    return { from, to, days, mean_score, hit_share, kept_share: keptShare };
  });
}

function labelCalibrations(
  days: readonly ComparedDay[],
  toForecast: (day: ComparedDay) => Forecast,
): CalibrationReport['labels'] {
  const labels = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
  return labels.flatMap((label) => {
    const own = days.filter((day) => day.label === label);
    return own.length === 0 ? [] : [{ label, ...calibrationOf(own.map(toForecast)) }];
  });
}

/** A forecast probability and its outcome. */
type Forecast = { readonly score: number; readonly hit: boolean };

const BINS = 10;

/**
 * Returns the expected calibration error: in ten bins of equal width, the distance between mean score and share of hits,
 * weighted by the number of forecasts in the bin. NaN without a forecast.
 * Precondition: scores are in [0, 1]. Source: Guo et al. 2017; methodology v1, Evidence.
 */
function expectedCalibrationError(forecasts: readonly Forecast[]): number {
  const bins = new Array<number>(BINS).fill(0);
  for (const { score, hit } of forecasts) {
    const bin = Math.min(BINS - 1, Math.floor(BINS * score));
    bins[bin] = (bins[bin] ?? 0) + score - (hit ? 1 : 0);
  }
  return bins.reduce((sum, surplus) => sum + Math.abs(surplus), 0) / forecasts.length;
}

/** Mean score and share of hits; `gap` is the distance between the two. */
type Calibration = {
  readonly days: number;
  readonly mean_score: number;
  readonly hit_share: number;
  readonly gap: number;
};

/** Compares the mean score with the share of hits. Precondition: at least one. */
function calibrationOf(forecasts: readonly Forecast[]): Calibration {
  const days = forecasts.length;
  const meanScore = forecasts.reduce((sum, { score }) => sum + score, 0) / days;
  const hitShare = forecasts.filter(({ hit }) => hit).length / days;
  return { days, mean_score: meanScore, hit_share: hitShare, gap: Math.abs(meanScore - hitShare) };
}

const TOLERANCE = 1e-10;
const MAX_STEPS = 50;

/**
 * Returns the maximum-likelihood coefficients of a logistic regression, without regularisation, by Newton's method.
 * Shape: one coefficient per element of a row; for an intercept, each row needs an element 1.
 * Precondition: one outcome per row, at least one row, all rows of the same length.
 * @throws Error if the likelihood has no single maximum: dependent columns, or classes that a plane separates.
 */
function fitLogistic(rows: readonly (readonly number[])[], outcomes: readonly boolean[]): number[] {
  let coefficients = new Array<number>(rows[0]?.length ?? 0).fill(0);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { gradient, curvature } = deriveLikelihood(rows, outcomes, coefficients);
    const move = solveLinear(curvature, gradient);
    coefficients = coefficients.map((value, i) => value + (move[i] ?? NaN));
    if (move.every((value) => Math.abs(value) < TOLERANCE)) return coefficients;
  }
  throw new Error(`logistic regression: no maximum within ${MAX_STEPS} steps`);
}

/** Returns the probability that a row's outcome is true. */
function logisticProbability(row: readonly number[], coefficients: readonly number[]): number {
  const logit = row.reduce((sum, value, i) => sum + value * (coefficients[i] ?? NaN), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Returns the gradient and negated Hessian of the log likelihood. */
function deriveLikelihood(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  coefficients: readonly number[],
): { gradient: number[]; curvature: number[][] } {
  const gradient = coefficients.map(() => 0);
  const curvature = coefficients.map(() => coefficients.map(() => 0));
  rows.forEach((row, n) => {
    const probability = logisticProbability(row, coefficients);
    const residual = (outcomes[n] === true ? 1 : 0) - probability;
    const weight = probability * (1 - probability);
    row.forEach((value, i) => {
      gradient[i] = (gradient[i] ?? 0) + value * residual;
      const line = curvature[i] ?? [];
      row.forEach((other, j) => (line[j] = (line[j] ?? 0) + weight * value * other));
    });
  });
  return { gradient, curvature };
}

/** Solves a small symmetric positive definite system by Gaussian elimination. @throws Error for any other. */
function solveLinear(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lines = matrix.map((line, i) => [...line, right[i] ?? NaN]);
  const size = lines.length;
  lines.forEach((pivotLine, i) => {
    const pivot = pivotLine[i] ?? NaN;
    if (!(pivot > Number.EPSILON)) throw new Error('logistic regression: no single maximum');
    for (const line of lines.slice(i + 1)) {
      const factor = (line[i] ?? NaN) / pivot;
      for (let j = i; j <= size; j += 1) line[j] = (line[j] ?? NaN) - factor * (pivotLine[j] ?? NaN);
    }
  });
  const solution = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i -= 1) {
    const line = lines[i] ?? [];
    const known = solution.reduce((sum, value, j) => sum + (j > i ? value * (line[j] ?? NaN) : 0), 0);
    solution[i] = ((line[size] ?? NaN) - known) / (line[i] ?? NaN);
  }
  return solution;
}
