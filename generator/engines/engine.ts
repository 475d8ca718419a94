import type { TextRow } from '../core/collection/query-day.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';

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

/** The clock and chance of an engine's client, so that tests need not wait. */
export type EngineTools = {
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves after `ms`. Rejects when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The real clock and chance. */
export const SYSTEM_TOOLS: EngineTools = {
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Returns the wait before a retry: exponential backoff with full jitter. `retries` counts the earlier ones. */
export function backoffMs(retries: number, { random }: EngineTools): number {
  return random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** retries);
}

/** Returns the wait before the next question whether a query has ended. `polls` counts the earlier ones. */
export function pollMs(polls: number): number {
  return Math.min(MAX_POLL_MS, POLL_MS * 1.5 ** polls);
}

const BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 20_000;
const POLL_MS = 100;
const MAX_POLL_MS = 5_000;

/**
 * Returns the address of an engine's service: https, or http on loopback.
 * @throws GeneratorError 'usage' for any other, and for one with a user, query or fragment
 */
export function parseEngineEndpoint(engine: string, endpoint: string): { origin: string; base: string } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (!isSafe || url.username !== '' || url.search !== '' || url.hash !== '') {
    const rule = 'must be an https URL without user, query and fragment';
    throw new GeneratorError('usage', `${engine}: the endpoint ${rule}. Fix it.`, { next: RUN_AGAIN });
  }
  return { origin: url.origin, base: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

/** Trino's names of errors about tables that are not as the query expects. Athena's reasons begin with them too. */
const SHAPE_ERRORS: readonly string[] = [
  'AMBIGUOUS_NAME',
  'CATALOG_NOT_FOUND',
  'COLUMN_NOT_FOUND',
  'COLUMN_TYPE_UNKNOWN',
  'FUNCTION_NOT_FOUND',
  'HIVE_BAD_DATA',
  'HIVE_INVALID_METADATA',
  'HIVE_PARTITION_SCHEMA_MISMATCH',
  'INVALID_CAST_ARGUMENT',
  'MISSING_CATALOG_NAME',
  'MISSING_SCHEMA_NAME',
  'NUMERIC_VALUE_OUT_OF_RANGE',
  'SCHEMA_NOT_FOUND',
  'TABLE_NOT_FOUND',
  'TYPE_MISMATCH',
];

/** Returns the error of a failed query. `name` is Trino's name of the error. */
export function toFailure(engine: string, name: string, message: string): EngineError {
  const line = message.replace(/\p{C}+/gu, ' ').trim();
  const text = line.startsWith(name) ? line : `${name}: ${line}`;
  const code = SHAPE_ERRORS.includes(name) ? 'shape' : 'failed';
  return new EngineError(code, `${engine}: ${text.slice(0, 500)}`);
}

/** Returns the error of a column that is not text. */
export function notText(column: string): EngineError {
  return new EngineError('shape', `Column ${column} of the result is not text.`);
}
