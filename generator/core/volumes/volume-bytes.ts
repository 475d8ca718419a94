import { parquetWriteBuffer } from 'hyparquet-writer';
import { toDayNumber } from '../../../schemas/dates.js';
import type { Cell, CellType } from './column.js';

/** A table: columns with their cells, one for each row. */
export type Table = {
  readonly columns: readonly {
    readonly name: string;
    readonly type: CellType;
    readonly unit?: string;
    readonly required?: boolean;
    readonly cells: readonly Cell[];
  }[];
};

/** Returns the table as CSV: RFC 4180, LF, quotes only where needed, an empty cell for a missing value. */
export function toCsv({ columns }: Table): string {
  const rows = columns[0]?.cells.map((_, i) => columns.map(({ cells }) => csvCell(cells[i] ?? null))) ?? [];
  return [columns.map(({ name }) => name), ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

function csvCell(cell: Cell): string {
  const text = String(cell ?? '');
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const PARQUET_TYPES = {
  date: { type: 'INT32', converted_type: 'DATE' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
} as const;

/**
 * Returns the table as Parquet: one row group, Snappy. `metadata` are key-value pairs of the file. The bytes depend only
 * on the arguments and the version of the library, which is pinned.
 */
export function toParquet({ columns }: Table, metadata: Readonly<Record<string, string>>): Uint8Array {
  const rows = columns[0]?.cells.length ?? 0;
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, type, cells }) => ({
      name,
      data: cells.map((cell) => toParquetCell(type, cell)),
    })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type, required }) => ({
        ...{ name, ...PARQUET_TYPES[type] },
        repetition_type: required ? ('REQUIRED' as const) : ('OPTIONAL' as const),
      })),
    ],
    ...{ rowGroupSize: rows, codec: 'SNAPPY', createdBy: 'chain-reference-data version 1' },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  return new Uint8Array(buffer);
}

function toParquetCell(type: CellType, cell: Cell): unknown {
  if (cell === null) return undefined;
  if (type === 'integer') return BigInt(cell);
  return type === 'date' ? toDayNumber(String(cell)) : cell;
}
