import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { judgeValue, type ValueFault } from '../input/value-fault.js';
import { toDecimalText } from './decimal.js';

/** Values of a date as decimal text, by metric. A metric without a value is absent. */
export type DayValues = { readonly [metric in MetricName]?: string };

/** A date with its values. */
export type DatedValues = { readonly date: string; readonly values: DayValues };

/** A date that others are judged by, and the metrics whose values a person accepted. */
export type EarlierDate = DatedValues & { readonly byPerson?: readonly MetricName[] };

/** Returns whether a text is a value of a metric, in the one form that values have. */
export function isValue(metric: MetricName, text: string): boolean {
  const read = toMetricValue(metric, text);
  return 'value' in read && read.value === text;
}

/** Returns the metrics that have a value, in the order of the object. */
export function metricsIn(values: DayValues): MetricName[] {
  return Object.keys(values) as MetricName[]; // Object.keys loses the key type
}

/** Returns the values of these metrics only. */
export function pickValues(values: DayValues, metrics: readonly MetricName[]): DayValues {
  return Object.fromEntries(
    metrics.flatMap((metric) => {
      const value = values[metric];
      return value === undefined ? [] : [[metric, value]];
    }),
  );
}

/** A date of a chain, as a source gives it. */
export type CollectedDay = {
  readonly chain: Chain;
  readonly date: string;
  /** Values as exact decimal text, in the catalog's units. A metric that the source lacks on the date is absent. */
  readonly values: DayValues;
  /** Integers that the values and the exact checks are computed from, as text, such as `block_tx_count`. May be empty. */
  readonly counts: { readonly [name: string]: string };
  readonly evidence: Evidence;
  /** Why some of its values could not be read now, as sentences. Absent if all that the source has were read. */
  readonly failures?: readonly string[];
  /** Why the source does not give values that it need not give, as sentences. */
  readonly notes?: readonly string[];
  /** Why values that it need not give, but has, cannot be read for as long as it answers like this, as sentences. */
  readonly unreadable?: readonly string[];
};

/** The data from which the values were computed, so that a stranger can repeat them. */
export type Evidence = ObjectEvidence | ResponseEvidence | NodeEvidence;

/** Objects of a public store, and the query that an engine ran on them. */
type ObjectEvidence = {
  readonly kind: 'objects';
  readonly objects: readonly {
    readonly uri: string;
    readonly etag: string;
    readonly bytes: number;
    readonly last_modified: string;
  }[];
  readonly sql_sha256: string;
  /** Name and version of the engine. */
  readonly engine: string;
};

/** Answers of a server. */
export type ResponseEvidence = {
  readonly kind: 'responses';
  readonly responses: readonly {
    readonly url: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly fetched_at: string;
  }[];
};

/**
 * Blocks of a chain, as a node gave them. The hashes of the first and the last one determine all data of the blocks, so
 * that any node of the chain repeats the values. Numbers are text.
 */
export type NodeEvidence = {
  readonly kind: 'node';
  /** Name and version of the node's program. */
  readonly client: string;
  readonly first_block: string;
  readonly first_hash: string;
  readonly last_block: string;
  readonly last_hash: string;
};

/** A value as exact decimal text, or what a value of the metric must be. */
type MetricValue = { readonly value: string } | { readonly expected: string; readonly fault: ValueFault };

const EXPECTED: Readonly<Record<ValueFault, string>> = {
  'not finite': 'a number',
  'not a number': 'a number',
  negative: 'a number of at least 0',
  'too small': '0, or a number of at least 1e-30',
  'too large': 'a number of at most 2^53',
  'too long': 'a number of at most 400 digits after the point',
  'not whole': 'a whole number',
};

/** Returns a number of a source, in the catalog's unit, as a value of the metric. `publish` accepts it in a file. */
export function toMetricValue(metric: MetricName, text: string): MetricValue {
  const fault = judgeValue(metric, text);
  if (fault !== undefined) return { expected: EXPECTED[fault], fault };
  return { value: toDecimalText(text) ?? '' }; // which is a number, as it was judged
}
