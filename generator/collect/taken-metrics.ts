import type { ChainState, MetricName } from '../../schemas/types.generated.js';
import type { LedgerDate } from '../core/collection/ledger/ledger.js';
import type { Part } from './policy/chain-plan.js';
import { withoutMark } from './chain-state.js';

/**
 * Returns the state with the metrics that a chain takes from each source. Dates without a metric that it did not take from
 * the source before lose their marks of that source, so that they are read again.
 */
export function withTakenMetrics(
  before: ChainState,
  parts: readonly Part[],
  known: readonly LedgerDate[],
): ChainState {
  const { metrics: taken } = before; // absent in the states of older versions
  let state = before;
  for (const { source, metrics } of parts) {
    const { id } = source.facts;
    const added = taken === undefined ? [] : metrics.filter((metric) => taken[id]?.includes(metric) !== true);
    for (const { date, values } of known) {
      if (added.some((metric) => values[metric] === undefined)) state = withoutMark(state, id, date);
    }
  }
  const now = parts.map(({ source, metrics }): [string, MetricName[]] => [source.facts.id, [...metrics]]);
  return { ...state, metrics: Object.fromEntries(now) };
}
