import type { MetricName } from '../../../../schemas/types.generated.js';
import type { CollectionRules } from '../collection-rules.js';
import { ratioWords, shareWords } from '../../text/number-words.js';
import { medianOf, metricsIn, type DayValues } from '../values/day-values.js';
import type { Finding } from '../finding.js';

/** Number of dates from which a usual ratio means something. */
const FEWEST_DATES = 7;

/** The values of another source on the same date. */
export type Check = {
  readonly source: string;
  readonly values: DayValues;
  /** The metrics that the other source defines in the same way. */
  readonly same: readonly MetricName[];
  /** Ratios of the values of a metric, this source divided by the other, on the dates before. */
  readonly ratios: { readonly [metric in MetricName]?: readonly number[] };
};

/** Compares a day with other sources. Equally defined values must agree; others are compared by their usual ratio. */
export function compareSources(
  values: DayValues,
  checks: readonly Check[],
  { cross }: Pick<CollectionRules, 'cross'>,
): Finding[] {
  return checks.flatMap((check) =>
    metricsIn(values).flatMap((metric) => {
      const [value, other] = [Number(values[metric]), Number(check.values[metric] ?? NaN)];
      if (Number.isNaN(other) || other === 0) return []; // nothing to compare with
      return check.same.includes(metric)
        ? compareSame(metric, value, other, check.source, cross.same)
        : compareRatio(metric, value / other, check, cross.ratio);
    }),
  );
}

/** Returns whether another source confirms a value that is far from the dates before. */
export function isConfirmed(
  metric: MetricName,
  values: DayValues,
  checks: readonly Check[],
  { cross }: Pick<CollectionRules, 'cross'>,
): boolean {
  const value = Number(values[metric]);
  return checks.some(({ values: others, same, ratios }) => {
    const other = Number(others[metric] ?? NaN);
    if (same.includes(metric)) return difference(value, other) <= cross.same;
    const earlier = ratios[metric] ?? [];
    const usual = medianOf(earlier);
    if (usual === undefined || earlier.length < FEWEST_DATES) return false;
    return difference(value / other, usual) <= cross.ratio;
  });
}

function compareSame(
  metric: MetricName,
  value: number,
  other: number,
  source: string,
  bound: number,
): Finding[] {
  const differs = difference(value, other);
  if (differs <= bound) return [];
  const message = `${metric} is ${value}, but ${source} has ${other}: they differ by ${shareWords(differs)}, more than ${shareWords(bound)}.`;
  const measured = { value: String(differs), bound: String(bound) };
  return [{ rule: 'cross', metrics: [metric], effect: 'withheld', message, ...measured }];
}

function compareRatio(
  metric: MetricName,
  ratio: number,
  { ratios, source }: Check,
  bound: number,
): Finding[] {
  const earlier = ratios[metric] ?? [];
  const usual = medianOf(earlier);
  if (usual === undefined || earlier.length < FEWEST_DATES) return [];
  const differs = difference(ratio, usual);
  if (differs <= bound) return [];
  const message = `${metric} is ${ratioWords(ratio)} times the value of ${source}, usually ${ratioWords(usual)} times: that differs by more than ${shareWords(bound)}.`;
  const measured = { value: String(differs), bound: String(bound) };
  return [{ rule: 'cross', metrics: [metric], effect: 'noted', message, ...measured }];
}

/** Returns the difference as a share of `other`; Infinity if only `other` is 0. */
function difference(one: number, other: number): number {
  return one === other ? 0 : Math.abs(one - other) / Math.abs(other);
}
