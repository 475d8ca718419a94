import type { ConfidenceFeatures } from '../../generator/core/methodology/confidence.js';
import { byChain, LABEL_MEANINGS } from '../../schemas/catalog.js';
import type { Chain, ConfidenceTerms, RegimeLabel } from '../../schemas/types.generated.js';
import {
  calibrationOf,
  expectedCalibrationError,
  type Calibration,
  type Forecast,
} from './calibration-error.js';
import type { JudgedDay } from './hindsight.js';
import { fitLogistic, logisticProbability } from './logistic-regression.js';

/** The first date on which the coefficients that were fitted before it are tested. */
export const TESTED_FROM = '2022-01-01';

/** The coefficients of the confidence score. */
export type Coefficients = Readonly<Pick<ConfidenceTerms, 'intercept' | 'margin' | 'run' | 'speed'>>;

/** How calm and how lasting the labels of a chain are. */
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
    /** Of coefficients that were fitted before `TESTED_FROM` alone: on the days that they were fitted on. */
    readonly before: number;
    /** The same coefficients on the days that they had not seen. */
    readonly from: number;
  };
  readonly labels: readonly ({ readonly label: RegimeLabel } & Calibration)[];
};

/** Measures judged days. Precondition: days of a chain are adjacent and ascend. */
export function toCalibrationReport(days: readonly JudgedDay[], terms: ConfidenceTerms): CalibrationReport {
  const compared = days.filter(isCompared);
  const before = compared.filter(({ date }) => date < TESTED_FROM);
  const from = compared.filter(({ date }) => date >= TESTED_FROM);
  const refitted = fit(compared, terms);
  const early = fit(before, terms);
  const { intercept, margin, run, speed } = terms;
  return {
    labelled: days.filter(isLabelled).length,
    compared: compared.length,
    chains: byChain((chain) => stabilityOf(days.filter((day) => day.chain === chain))),
    coefficients: { published: { intercept, margin, run, speed }, refitted: toCoefficients(refitted) },
    calibration_error: {
      published: expectedCalibrationError(compared.map(toForecast)),
      refitted: expectedCalibrationError(compared.map(rescored(refitted, terms))),
      before: expectedCalibrationError(before.map(rescored(early, terms))),
      from: expectedCalibrationError(from.map(rescored(early, terms))),
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

/** A forecast with the score that other coefficients give. */
function rescored(coefficients: readonly number[], terms: ConfidenceTerms): (day: ComparedDay) => Forecast {
  return (day) => ({
    ...toForecast(day),
    score: logisticProbability(toRow(day.features, terms), coefficients),
  });
}

function fit(days: readonly ComparedDay[], terms: ConfidenceTerms): number[] {
  return fitLogistic(
    days.map(({ features }) => toRow(features, terms)),
    days.map((day) => toForecast(day).hit),
  );
}

/** What the coefficients multiply. Source: methodology v1 §7. */
function toRow({ margin, runDays, speed }: ConfidenceFeatures, terms: ConfidenceTerms): number[] {
  return [
    1,
    Math.max(0, Math.min(terms.margin_limit, margin)),
    Math.min(runDays, terms.run_limit_days) / terms.run_limit_days,
    Math.min(terms.speed_limit, speed),
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
  const labels = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // keys of a closed literal
  return labels.flatMap((label) => {
    const own = days.filter((day) => day.label === label);
    return own.length === 0 ? [] : [{ label, ...calibrationOf(own.map(toForecast)) }];
  });
}
