import type { InputSeries } from '../../generator/core/input/input-series.js';
import { computeRegimes } from '../../generator/core/methodology/regime-series.js';
import type { Chain, Methodology, MetricName } from '../../schemas/types.generated.js';
import { judgeDays, type JudgedDay } from './hindsight.js';

/** Mean score of real-time labels, and the share of them that equals the hindsight label of all signals. */
export type Agreement = { readonly score: number; readonly agreement: number };

/** What happens to the labels of a chain when one or two of its signals are missing throughout. */
export type MissingSignals = {
  readonly chain: Chain;
  readonly signals: readonly string[];
  readonly days: number;
  readonly complete: Agreement;
  readonly without: Agreement;
};

/** The signals that some sources lack, and the metric that each cannot be computed without. */
const LACKED: Readonly<Record<string, MetricName>> = {
  active_addresses: 'active_addresses',
  fee_median: 'fee_median',
  gas_price_mean: 'gas_price_mean',
  target_use: 'gas_used',
};

/** Minimum number of days that a case compares, so that its shares mean something. */
const MIN_DAYS = 365;

/**
 * Compares a history with the same history without each one and each two of the signals that some sources lack, on the days
 * on which those signals have an x and all three labels are other than `indeterminate`. Cases with less than a year of such
 * days are left out. Source: methodology v1, Evidence.
 */
export function measureMissingSignals(series: InputSeries, methodology: Methodology): MissingSignals[] {
  const { signals } = computeRegimes(series, methodology);
  const complete = judgeDays(series, methodology);
  const lacked = signals.map(({ definition }) => definition.signal).filter((signal) => signal in LACKED);
  const pairs = lacked.flatMap((one, i) => lacked.slice(i + 1).map((other) => [one, other]));
  return [...lacked.map((signal) => [signal]), ...pairs].flatMap((dropped) => {
    const metrics = dropped.flatMap((signal) => LACKED[signal] ?? []);
    const without = judgeDays({ ...series, metrics: withoutColumns(series, metrics) }, methodology);
    const columns = signals.filter(({ definition }) => dropped.includes(definition.signal));
    const compared = complete.flatMap((day, t) => {
      const labels = [day.label, without[t]?.label, day.hindsight];
      const isThere = columns.every(({ transformed }) => (transformed[t] ?? null) !== null);
      return isThere && !labels.includes('indeterminate') ? [t] : [];
    });
    if (compared.length < MIN_DAYS) return [];
    const agreementOf = (days: readonly JudgedDay[]): Agreement => {
      const mean = (of: (t: number) => number): number =>
        compared.reduce((sum, t) => sum + of(t), 0) / compared.length;
      return {
        score: mean((t) => days[t]?.score ?? NaN),
        agreement: mean((t) => (days[t]?.label === complete[t]?.hindsight ? 1 : 0)),
      };
    };
    return [
      {
        chain: series.chain,
        signals: dropped,
        days: compared.length,
        complete: agreementOf(complete),
        without: agreementOf(without),
      },
    ];
  });
}

function withoutColumns({ metrics }: InputSeries, dropped: readonly MetricName[]): InputSeries['metrics'] {
  return Object.fromEntries(
    Object.entries(metrics).map(([metric, column]) => [
      metric,
      dropped.includes(metric as MetricName) ? column.map(() => null) : column, // Object.entries loses the key type
    ]),
  );
}
