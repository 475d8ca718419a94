import type { Chain, MetricName } from '../../../schemas/types.generated.js';

/** The rules for the collected days of a chain, and their thresholds. `D` is the date of a day; times are UTC. */
export type CollectionRules = {
  /** The metrics without which a day waits for its deadline: the inputs of the methodology that come in time. */
  readonly required: readonly MetricName[];
  /** Hours after the end of `D` from which a collection tries, and at which it takes what it has. */
  readonly firstTryHours: number;
  readonly deadlineHours: number;
  /**
   * Days after the end of `D` within which the source may revise a value by at most `tolerance`, a share of the value that
   * was accepted first, or by a person.
   */
  readonly settlingDays: number;
  readonly tolerance: number;
  /** Days after the end of `D` within which a missing value is filled in. */
  readonly fillInDays: number;
  /** Number of differing dates of a metric above which its history has shifted: no value of it changes by itself. */
  readonly shiftDates: number;
  /** Metrics that a source recomputes over their whole history: accepted values are not compared with it again. */
  readonly frozen: readonly MetricName[];
  /** Least and most blocks of a day. */
  readonly blocks: readonly [least: number, most: number];
  /** Number of dates before `D` with which its values are compared. */
  readonly historyDates: number;
  /**
   * A value outside of the median of these dates, divided and multiplied by this factor, is a jump. Of required counts, the
   * median is divided by `drops`: a day that is cut short is the usual fault of a source.
   */
  readonly jumpFactor: { readonly counts: number; readonly drops: number; readonly others: number };
  /** Largest relative difference between two sources: of equally defined values, and of their usual ratio otherwise. */
  readonly cross: { readonly same: number; readonly ratio: number };
};

const COMMON = {
  deadlineHours: 12,
  tolerance: 0.01,
  fillInDays: 60,
  shiftDates: 20,
  frozen: [],
  historyDates: 28,
  jumpFactor: { counts: 6, drops: 2, others: 50 }, // calibrated: DECISIONS.md, "Thresholds of the collection"
  cross: { same: 0.005, ratio: 0.05 },
} as const;

/** The rules of each chain, unless the policy says otherwise. */
export const DEFAULT_RULES: Readonly<Record<Chain, CollectionRules>> = {
  bitcoin: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'block_weight', 'block_count', 'fees_total', 'fee_median'],
    firstTryHours: 1,
    settlingDays: 3,
    blocks: [50, 320],
  },
  ethereum: {
    ...COMMON,
    required: [
      ...(['tx_count', 'active_addresses', 'fee_median', 'gas_price_mean'] as const),
      ...(['gas_used', 'gas_limit_mean', 'block_count'] as const),
    ],
    firstTryHours: 2.25,
    settlingDays: 3,
    blocks: [6_900, 7_200],
  },
  arbitrum: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
    firstTryHours: 6.25,
    settlingDays: 7,
    frozen: ['l1_fees_total'], // growthepie recomputes all dates every night
    blocks: [300_000, 360_000],
  },
  base: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
    firstTryHours: 6.25,
    settlingDays: 7,
    frozen: ['l1_fees_total'], // growthepie recomputes all dates every night
    blocks: [43_200, 43_200],
  },
};
