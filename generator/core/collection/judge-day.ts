import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectedDay } from './values/collected-day.js';
import type { CollectionRules } from './collection-rules.js';
import { metricsIn, pickValues, type DayValues, type EarlierDate } from './values/day-values.js';
import type { Finding } from './finding.js';
import { findConstants, findFalseZeros, findJumps } from './rules/compared.js';
import { compareSources, isConfirmed, type Check } from './rules/cross.js';
import { areIntegers, findShapeFaults } from './rules/shape.js';
import { findGaps, type Surroundings } from './rules/whole.js';

/** Options for `judgeDay`: everything that a day is judged by, beside its own values. */
export type JudgeOptions = {
  readonly rules: CollectionRules;
  /** The accepted values of the last dates before, from the oldest; those that the rules compare with. */
  readonly before: readonly EarlierDate[];
  readonly neighbours?: Omit<Surroundings, 'isSettled'>;
  readonly checks?: readonly Check[];
  /** Metrics of the day that a person accepted although they are 0, repeat themselves, jump or differ from another source. */
  readonly accepted?: readonly MetricName[];
  /**
   * True if the source no longer revises the day: a repeated value, a jump, another source and an unusual number of blocks
   * are then only noted. A false zero stays missing, and a day that is not whole stays withheld.
   */
  readonly isSettled?: boolean;
  /** Metrics of a settled day that have no accepted value: what a rule stops stays stopped, and is not only noted. */
  readonly open?: readonly MetricName[];
};

/** The values of a day that passed, the metrics that must wait, and what was found. */
export type Judgement = {
  readonly values: DayValues;
  readonly withheld: readonly MetricName[];
  /** The values that are not accepted for now, but that a person may accept. */
  readonly acceptable: DayValues;
  readonly findings: readonly Finding[];
};

/** Judges the values of a day by the rules `shape` to `cross`. */
export function judgeDay(
  day: CollectedDay,
  { rules, before, neighbours = {}, checks = [], accepted = [], isSettled = false, open = [] }: JudgeOptions,
): Judgement {
  const shape = findShapeFaults(day);
  const gaps = areIntegers(day.counts) ? findGaps(day, rules, { ...neighbours, isSettled }) : [];
  const values = without(day.values, [...shape, ...gaps]);
  const settle = (finding: Finding): Finding =>
    isSettled && finding.effect !== 'noted' && !finding.metrics.some((metric) => open.includes(metric))
      ? noted(finding, 'The source has settled the day.')
      : finding;
  const accept = (finding: Finding): Finding =>
    finding.effect !== 'noted' && finding.metrics.every((metric) => accepted.includes(metric))
      ? noted(finding, 'A person accepted it.')
      : finding;
  const missing = [
    ...findFalseZeros(values, before, rules),
    ...findConstants(values, before).map(settle),
  ].map(accept);
  const present = without(values, missing);
  const compared = [
    ...findJumps(present, before, rules).filter(
      ({ metrics }) => !metrics.every((metric) => isConfirmed(metric, present, checks, rules)),
    ),
    ...compareSources(present, checks, rules),
  ].map((finding) => settle(accept(finding)));
  const together = findDependent(present, [...missing, ...compared]);
  const findings = [...shape, ...gaps, ...missing, ...compared, ...together];
  const withheld = findings.filter(({ effect }) => effect === 'withheld').flatMap(({ metrics }) => metrics);
  return {
    values: without(present, [...compared, ...together]),
    withheld: [...new Set(withheld)],
    acceptable: pickValues(values, stoppedBy([...missing, ...compared])),
    findings,
  };
}

/** Withholds all other values of a day whose `tx_count` a rule stops: the source may have only a part of the day. */
function findDependent(present: DayValues, findings: readonly Finding[]): Finding[] {
  const cause = findings.find(({ effect, metrics }) => effect !== 'noted' && metrics.includes('tx_count'));
  const others = metricsIn(without(present, findings));
  if (cause === undefined || others.length === 0) return [];
  const message = `${others.join(', ')} wait with tx_count: the source may have only a part of the day.`;
  return [{ rule: cause.rule, metrics: others, effect: 'withheld', message }];
}

function noted(finding: Finding, why: string): Finding {
  return { ...finding, effect: 'noted', message: `${finding.message} ${why}` };
}

/** Returns the values without those that findings withhold or omit. */
function without(values: DayValues, findings: readonly Finding[]): DayValues {
  const lost = stoppedBy(findings);
  return pickValues(
    values,
    metricsIn(values).filter((metric) => !lost.includes(metric)),
  );
}

/** Returns the metrics that findings withhold or omit. */
function stoppedBy(findings: readonly Finding[]): MetricName[] {
  return findings.filter(({ effect }) => effect !== 'noted').flatMap(({ metrics }) => metrics);
}
