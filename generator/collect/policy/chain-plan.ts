import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import type { CollectionRules } from '../../core/collection/collection-rules.js';
import type { Source } from '../../sources/source.js';

/** A source of a chain, and the metrics that the chain takes from it. */
export type Part = { readonly source: Source; readonly metrics: readonly MetricName[] };

/** A source that a chain is compared with, and the metrics that both define in the same way. */
type CheckPart = { readonly source: Source; readonly same: readonly MetricName[] };

/** Sources and rules of a chain. */
export type ChainPlan = {
  readonly chain: Chain;
  /** The first part is the main source. No metric is in two parts. */
  readonly parts: readonly [Part, ...Part[]];
  readonly checks: readonly CheckPart[];
  readonly rules: CollectionRules;
  /** First date of an empty ledger. */
  readonly since: string;
  /** Last date to look at; the last one that is due if absent. */
  readonly until?: string;
};

/** The decisions of a person: values that the rules would withhold, and revisions that they would not take. */
export type Acceptances = {
  /** Returns whether a person accepts this value; without a value, whether they name a value of the date. */
  readonly accepts: (date: string, metric: MetricName, value?: string) => boolean;
  /** Public reason of accepted revisions. */
  readonly reason: string;
};

export const NOTHING_ACCEPTED: Acceptances = { accepts: () => false, reason: '' };
