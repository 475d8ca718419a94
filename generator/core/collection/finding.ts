import type { MetricName } from '../../../schemas/types.generated.js';

/** The rules, in the order in which they are applied. Findings, lines of the ledger and metrics name them. */
export const RULES = {
  shape: 'a value is a decimal number of a metric that the chain has, and a count is an integer',
  whole:
    'blocks and transactions are complete: numbers without gaps, equal sums over blocks and transactions',
  zero: 'a zero does not count as a value if the last dates have no zero',
  constant: 'a count does not repeat itself exactly',
  jump: 'a value is not far from the median of the last dates',
  cross: 'two sources agree',
  deadline: 'a day waits for its required metrics until its deadline',
  settling: 'a value changes by itself only a little, and only while its source settles it',
} as const;

export type RuleId = keyof typeof RULES;

/**
 * A finding of a rule in a day. `withheld`: the value is not accepted for now, and the day is tried again; `omitted`: the
 * value counts as missing; `noted`: the value is accepted.
 */
export type Finding = {
  readonly rule: RuleId;
  readonly metrics: readonly MetricName[];
  readonly effect: 'withheld' | 'omitted' | 'noted';
  /** A sentence for a person, with the value and the bound if the rule has them. */
  readonly message: string;
  /** The value that the rule compared with a bound, as text; absent if there was none. */
  readonly value?: string;
  /** The bound that the value missed: a number, or the least and most allowed as `least..most`. */
  readonly bound?: string;
};
