import type { LedgerLine, MetricName } from '../../../schemas/types.generated.js';
import { metricsIn } from '../../core/collection/values/day-values.js';

/** By date, the metrics whose values a person accepted. */
export type Decisions = ReadonlyMap<string, readonly MetricName[]>;

/** Adds what lines of a ledger say that a person accepted. */
export function noteDecisions(
  decisions: Map<string, readonly MetricName[]>,
  lines: readonly LedgerLine[],
): void {
  for (const { date, values, rule } of lines)
    if (rule === 'person') decisions.set(date, [...(decisions.get(date) ?? []), ...metricsIn(values)]);
}
