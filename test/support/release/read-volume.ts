import { parquetReadObjects } from 'hyparquet';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { objectKey } from '../../../schemas/paths.js';
import type { ManifestVolume } from '../../../schemas/types.generated.js';
import type { Cell, Cells } from './flat-record.js';

/** Reads the rows of a volume. @throws Error if its CSV and its Parquet file differ in any cell. */
export async function readVolume(store: ObjectStore, { parquet, csv }: ManifestVolume): Promise<Cells[]> {
  const bytes = Uint8Array.from((await store.get(objectKey(parquet.sha256)))?.bytes ?? []);
  const rows: Record<string, Cell | Date | bigint>[] = await parquetReadObjects({ file: bytes.buffer });
  const typed = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, toJson(cell)])),
  );
  const text = Buffer.from((await store.get(objectKey(csv.sha256)))?.bytes ?? []).toString();
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(toText))];
  if (text !== lines.map((cells) => `${cells.join(',')}\n`).join(''))
    throw new Error(`${csv.path} differs from ${parquet.path}`);
  return typed;
}

/** Returns the text of a cell in CSV: a double has a decimal point, an integer has none. */
function toText(cell: Cell | Date | bigint): string {
  const text = String(toJson(cell) ?? '');
  return typeof cell !== 'number' || text.includes('.') ? text : text.replace(/^-?\d+/, '$&.0');
}

function toJson(cell: Cell | Date | bigint): Cell {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === 'bigint' ? Number(cell) : cell;
}
