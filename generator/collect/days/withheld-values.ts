import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectionRules } from '../../core/collection/collection-rules.js';
import type { DayValues } from '../../core/collection/values/day-values.js';
import type { JudgedPart } from './day-judge.js';

/** A value that a rule withholds, of a metric without which a date is accepted. */
export type WithheldValue = {
  readonly date: string;
  readonly metric: MetricName;
  /** The rule, and what it found. */
  readonly reason: string;
  /** The value, if a person may accept it. */
  readonly value?: string;
};

/**
 * Returns the values of a date that rules keep back although the date does not wait for them, each metric once. A value that
 * counts as missing is named only on the first such date: some sources never have it.
 */
export function withheldOf(
  date: string,
  parts: readonly JudgedPart[],
  accepted: DayValues,
  { required }: Pick<CollectionRules, 'required'>,
  previous: DayValues = {},
): WithheldValue[] {
  const withheld = new Map<MetricName, WithheldValue>();
  for (const { findings, acceptable } of parts) {
    for (const { rule, metrics, effect, message } of findings) {
      if (effect === 'noted' || metrics.some((metric) => required.includes(metric))) continue; // a reason of an awaited date
      for (const metric of metrics) {
        const value = acceptable[metric];
        if (accepted[metric] !== undefined || withheld.has(metric)) continue;
        if (effect === 'omitted' && previous[metric] === undefined) continue;
        withheld.set(metric, {
          date,
          metric,
          reason: `${rule}: ${message}`,
          ...(value !== undefined && { value }),
        });
      }
    }
  }
  return [...withheld.values()];
}
