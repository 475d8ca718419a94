import { computeRegimes } from '../../generator/core/methodology/regime-series.js';
import type { InputSeries } from '../../generator/core/input/input-series.js';
import { judgeDays, type JudgedDay } from '../../scripts/calibration/hindsight.js';
import type { Chain, Methodology, MetricName } from '../../schemas/types.generated.js';
import { withoutMetrics } from '../support/release/random-series.js';

/** Mean score of real-time labels, and the share of them that equals the hindsight label of all signals. */
export type Agreement = { readonly score: number; readonly agreement: number };

/** What happens to the labels of a chain when one of its signals is missing throughout. */
export type MissingSignal = {
  readonly chain: Chain;
  readonly signal: string;
  readonly days: number;
  readonly complete: Agreement;
  readonly without: Agreement;
};

/**
 * Compares a history with the same history without a signal that is a metric, on the days on which the signal has an x and
 * all three labels are other than `indeterminate`. Source: methodology v1, Evidence.
 */
export function measureMissingSignal(
  series: InputSeries,
  signal: MetricName,
  methodology: Methodology,
): MissingSignal {
  const { signals } = computeRegimes(series, methodology);
  const x = signals.find(({ definition }) => definition.signal === signal)?.transformed ?? [];
  const complete = judgeDays(series, methodology);
  const without = judgeDays(withoutMetrics(series, [signal]), methodology);
  const hindsight = complete.map((day) => day.hindsight);
  const compared = complete.flatMap((day, t) => {
    const labels = [day.label, without[t]?.label, hindsight[t]];
    return (x[t] ?? null) !== null && !labels.includes('indeterminate') ? [t] : [];
  });
  const agreementOf = (days: readonly JudgedDay[]): Agreement => {
    const mean = (of: (t: number) => number): number =>
      compared.reduce((sum, t) => sum + of(t), 0) / compared.length;
    return {
      score: mean((t) => days[t]?.score ?? NaN),
      agreement: mean((t) => (days[t]?.label === hindsight[t] ? 1 : 0)),
    };
  };
  return {
    chain: series.chain,
    signal,
    days: compared.length,
    complete: agreementOf(complete),
    without: agreementOf(without),
  };
}
