import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectedDay } from './collected-day.js';
import type { CollectionRules } from './collection-rules.js';
import { metricsIn, pickValues, type DatedValues, type DayValues } from './day-values.js';
import type { Finding } from './finding.js';
import { findConstants, findFalseZeros, findJumps } from './rules/compared.js';
import { compareSources, isConfirmed, type Check } from './rules/cross.js';
import { findShapeFaults } from './rules/shape.js';
import { findGaps, type Surroundings } from './rules/whole.js';

/** Options for `judgeDay`: everything that a day is judged by, beside its own values. */
export type JudgeOptions = {
  readonly rules: CollectionRules;
  /** The accepted values of the last dates before, from the oldest; those that the rules compare with. */
  readonly before: readonly DatedValues[];
  readonly neighbours?: Omit<Surroundings, 'isSettled'>;
  readonly checks?: readonly Check[];
  /** Metrics of the day that a person accepted although they jump or differ from another source. */
  readonly accepted?: readonly MetricName[];
  /** Whether the source no longer revises the day: comparisons with other days and sources are then only noted. */
  readonly isSettled?: boolean;
};

/** The values of a day that passed, the metrics that must wait, and what was found. */
export type Judgement = {
  readonly values: DayValues;
  readonly withheld: readonly MetricName[];
  readonly findings: readonly Finding[];
};

/** Judges the values of a day by the rules `shape` to `cross`. */
export function judgeDay(
  day: CollectedDay,
  { rules, before, neighbours = {}, checks = [], accepted = [], isSettled = false }: JudgeOptions,
): Judgement {
  const shape = findShapeFaults(day);
  const gaps = shape.length > 0 ? [] : findGaps(day, rules, { ...neighbours, isSettled });
  const values = without(day.values, [...shape, ...gaps]);
  const settle = (finding: Finding): Finding =>
    isSettled ? noted(finding, 'The source has settled the day.') : finding;
  const missing = [...findFalseZeros(values, before), ...findConstants(values, before).map(settle)];
  const present = without(values, missing);
  const isAccepted = ({ effect, metrics }: Finding): boolean =>
    effect === 'withheld' && metrics.every((metric) => accepted.includes(metric));
  const compared = [
    ...findJumps(present, before, rules).filter(
      ({ metrics }) => !metrics.every((metric) => isConfirmed(metric, present, checks, rules)),
    ),
    ...compareSources(present, checks, rules),
  ].map((finding) => (isAccepted(finding) ? noted(finding, 'A person accepted it.') : settle(finding)));
  const findings = [...shape, ...gaps, ...missing, ...compared];
  const withheld = findings.filter(({ effect }) => effect === 'withheld').flatMap(({ metrics }) => metrics);
  return { values: without(present, compared), withheld: [...new Set(withheld)], findings };
}

function noted(finding: Finding, why: string): Finding {
  return { ...finding, effect: 'noted', message: `${finding.message} ${why}` };
}

/** Returns the values without those that findings withhold or omit. */
function without(values: DayValues, findings: readonly Finding[]): DayValues {
  const lost = findings.filter(({ effect }) => effect !== 'noted').flatMap(({ metrics }) => metrics);
  return pickValues(
    values,
    metricsIn(values).filter((metric) => !lost.includes(metric)),
  );
}
