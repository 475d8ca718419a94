import type { TextRow } from '../core/collection/values/query-day.js';

/** Runs SQL on tables of public raw data. */
export type Engine = {
  /** Name and version, for the evidence of a day. */
  readonly name: string;
  /** True if the engine has the tables already: it ignores `tables` of a query. */
  readonly ownTables: boolean;
  /** Returns the rows of a query, all of whose columns are text. @throws EngineError, or the reason of `signal` */
  readonly run: (query: EngineQuery, signal: AbortSignal) => Promise<readonly TextRow[]>;
};

export type EngineQuery = {
  readonly sql: string;
  /** The files of each table. An engine that has the tables already does not need them. */
  readonly tables: Tables;
  /**
   * A text that changes whenever the data of the tables change, such as a digest of ETags. With it, an engine may return
   * the result of an earlier run of the same query on the same data.
   */
  readonly mark?: string;
};

/** Tables by name. Each has at least one day. */
export type Tables = { readonly [table: string]: readonly TableDay[] };

/** The Parquet files of a table on a date, by absolute path. The table gets a column `date` with this date. */
export type TableDay = { readonly date: string; readonly paths: readonly string[] };

/**
 * Why a query has no result: `not-installed` if the engine is not there, `shape` if the tables are not as the query
 * expects, `failed` if it may succeed later, or with more memory or disk.
 */
type EngineErrorCode = 'not-installed' | 'shape' | 'failed';

/** A failure of an engine. The message is for an operator. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}
