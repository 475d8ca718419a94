import type { DuckDBConnection } from '@duckdb/node-api';

/** A column of a Parquet file: its SQL type, and an SQL literal per row. */
export type ParquetColumn = {
  readonly name: string;
  readonly type: string;
  readonly literals: readonly string[];
};

/** Writes a Parquet file with DuckDB. All columns have the same number of rows. */
export async function writeParquet(
  connection: DuckDBConnection,
  file: string,
  columns: readonly ParquetColumn[],
): Promise<void> {
  const casts = columns.map(({ name, type }, i) => `CAST(c${i} AS ${type}) AS "${name}"`).join(', ');
  const names = columns.map((_, i) => `c${i}`).join(', ');
  const length = columns[0]?.literals.length ?? 0;
  const rows = Array.from(
    { length },
    (_, r) => `(${columns.map((column) => column.literals[r]).join(', ')})`,
  );
  const source =
    length === 0
      ? `(SELECT ${columns.map((_, i) => `NULL AS c${i}`).join(', ')} LIMIT 0)`
      : `(VALUES ${rows.join(', ')})`;
  await connection.run(`COPY (SELECT ${casts} FROM ${source} t(${names})) TO '${file}' (FORMAT parquet)`);
}

/** Returns the SQL literal of a value. A number keeps all its digits. */
export function toLiteral(value: string | bigint | number | boolean | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return String(value);
  return `'${String(value).replaceAll("'", "''")}'`;
}
