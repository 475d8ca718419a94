import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { isNativeError } from 'node:util/types';
import type * as DuckDb from '@duckdb/node-api';
import type { TextRow } from '../core/collection/query-day.js';
import { type Engine, EngineError, type EngineQuery, type TableDay, type Tables } from './engine.js';
import { parseDate } from '../../schemas/dates.js';

const THREADS = 2;
const MEMORY_MB = 1_000;
/** An interrupt between two statements is lost, so it is repeated. */
const INTERRUPT_EVERY_MS = 50;
/** Beginnings of messages about this machine or an end by others. All others are about the query or its tables. */
const TRANSIENT_ERRORS = /^(IO|Out of Memory|Permission|INTERRUPT|INTERNAL|FATAL) Error/;

type DuckDbOptions = {
  /** A folder for what does not fit into memory. */
  readonly folder: string;
  /** Number of threads; 2 by default. */
  readonly threads?: number;
  /** Memory of a query in megabytes; what needs more goes to `folder`. 1,000 by default. */
  readonly memoryMb?: number;
  /** Loads the package: late, because most commands do not need it and it may not be installed. */
  readonly load?: () => Promise<typeof DuckDb>;
};

/**
 * Creates an engine in this process. Each query has a database of its own, which is closed at the end.
 * @throws EngineError if DuckDB is not installed
 */
export async function createDuckDbEngine(options: DuckDbOptions): Promise<Engine> {
  const { folder, threads = THREADS, memoryMb = MEMORY_MB, load = importDuckDb } = options;
  const duckDb = await load().catch((cause: unknown) => {
    const remedy = 'Install it: npm install @duckdb/node-api. Or use another engine.';
    throw new EngineError('not-installed', `DuckDB is not installed. ${remedy}`, { cause });
  });
  return {
    name: `duckdb ${duckDb.version()}`,
    ownTables: false,
    run: async (query, signal) => {
      signal.throwIfAborted();
      const spill = await mkdtemp(path.join(folder, 'spill-'));
      try {
        return await runQuery(query, { duckDb, spill, threads, memoryMb, signal });
      } finally {
        await rm(spill, { recursive: true, force: true });
      }
    },
  };
}

function importDuckDb(): Promise<typeof DuckDb> {
  return import('@duckdb/node-api');
}

type QueryTools = Required<Pick<DuckDbOptions, 'threads' | 'memoryMb'>> & {
  readonly duckDb: typeof DuckDb;
  readonly spill: string;
  readonly signal: AbortSignal;
};

async function runQuery(
  { sql, tables }: EngineQuery,
  { duckDb, spill, threads, memoryMb, signal }: QueryTools,
): Promise<readonly TextRow[]> {
  const statements = toTableStatements(tables);
  const database = await duckDb.DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryMb}MB`,
    temp_directory: spill,
    preserve_insertion_order: 'false', // saves memory: the query orders its rows itself
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await database.connect();
  const stop = interruptOnAbort(connection, signal);
  try {
    for (const statement of statements) await connection.run(statement);
    const reader = await connection.runAndReadAll(sql);
    signal.throwIfAborted();
    return reader.getRowObjects().map(toTextRow);
  } catch (error) {
    signal.throwIfAborted();
    throw toEngineError(error);
  } finally {
    stop();
    connection.closeSync();
    database.closeSync();
  }
}

/** Interrupts what runs on `connection` when `signal` is aborted. Returns a function that ends this. */
function interruptOnAbort(connection: DuckDb.DuckDBConnection, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    timer ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt);
  return () => {
    signal.removeEventListener('abort', interrupt);
    clearInterval(timer);
  };
}

function toTextRow(row: Readonly<Record<string, unknown>>): TextRow {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value === null || typeof value === 'string') return [column, value];
      throw new EngineError('shape', `Column ${column} of the result is not text.`);
    }),
  );
}

function toEngineError(error: unknown): unknown {
  if (error instanceof EngineError || !isNativeError(error)) return error;
  const [line = ''] = error.message.split('\n');
  const code = TRANSIENT_ERRORS.test(error.message) ? 'failed' : 'shape';
  return new EngineError(code, `DuckDB: ${line}`, { cause: error });
}

/** Engines have different functions for arrays, so each has its own view of the addresses of inputs and outputs. */
const BITCOIN_ADDRESSES = `CREATE VIEW btc_addresses AS
  SELECT date, unnest(list_transform(inputs, lambda input: input.address)) AS address FROM btc_transactions
  UNION ALL
  SELECT date, unnest(list_transform(outputs, lambda output: output.address)) FROM btc_transactions`;

/** Returns the statements that make tables of Parquet files. @throws RangeError for a name, date or path it cannot use. */
export function toTableStatements(tables: Tables): string[] {
  const views = Object.entries(tables).map(([table, days]) => {
    if (!/^[a-z][a-z_]*$/.test(table)) throw new RangeError(`not a name of a table: ${table}`);
    return `CREATE VIEW ${table} AS ${days.map(toSelect).join('\nUNION ALL BY NAME\n')}`;
  });
  return 'btc_transactions' in tables ? [...views, BITCOIN_ADDRESSES] : views;
}

/** Files of a day may differ in their columns. Some have a column `date` themselves, which is replaced. */
function toSelect({ date, paths }: TableDay): string {
  if (parseDate(date) === undefined) throw new RangeError(`not a date: ${date}`);
  const files = paths.map(toLiteral).join(', ');
  return `SELECT '${date}' AS date, COLUMNS(lambda name: lower(name) <> 'date')
    FROM read_parquet([${files}], union_by_name = true, hive_partitioning = false)`;
}

/** Returns a path as an SQL literal. @throws RangeError for one that DuckDB would not take as it is. */
export function toLiteral(file: string): string {
  if (!path.isAbsolute(file)) throw new RangeError(`not an absolute path: ${file}`);
  if (/[*?[\]{}\0]/.test(file)) throw new RangeError(`a path with a wildcard: ${file}`);
  return `'${file.replaceAll("'", "''")}'`;
}
