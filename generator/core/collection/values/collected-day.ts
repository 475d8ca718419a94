import type { Chain } from '../../../../schemas/types.generated.js';
import type { DayValues } from './day-values.js';

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
