import type { ConfidenceFeatures } from '../../generator/core/methodology/regime-series.js';
import { byChain, LABEL_MEANINGS } from '../../schemas/catalog.js';
import type { Chain, ConfidenceSettings, RegimeLabel } from '../../schemas/types.generated.js';
import {
  calibrationOf,
  expectedCalibrationError,
  type Calibration,
  type Forecast,
} from './calibration-error.js';
import type { JudgedDay } from './hindsight.js';
import { fitLogistic, logisticProbability } from './logistic-regression.js';

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
    readonly published: number;
    readonly refitted: number;
    /** Of coefficients fitted only on days before `TESTED_FROM`, measured on those days. */
    readonly before: number;
    /** The same coefficients, measured on the later days. */
    readonly from: number;
  };
  readonly labels: readonly ({ readonly label: RegimeLabel } & Calibration)[];
};

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
      refitted: expectedCalibrationError(compared.map(rescored(refitted, settings))),
      before: expectedCalibrationError(before.map(rescored(early, settings))),
      from: expectedCalibrationError(from.map(rescored(early, settings))),
    },
    labels: labelCalibrations(compared),
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

function labelCalibrations(days: readonly ComparedDay[]): CalibrationReport['labels'] {
  const labels = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
  return labels.flatMap((label) => {
    const own = days.filter((day) => day.label === label);
    return own.length === 0 ? [] : [{ label, ...calibrationOf(own.map(toForecast)) }];
  });
}
