import path from 'node:path';
import { parseDate } from '../../schemas/dates.js';
import type { TableDay, Tables } from './engine.js';

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
