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
  const lines = [Object.keys(typed[0] ?? {}), ...typed.map((row) => Object.values(row))];
  if (text !== lines.map((cells) => `${cells.map((cell) => cell ?? '').join(',')}\n`).join(''))
    throw new Error(`${csv.path} differs from ${parquet.path}`);
  return typed;
}

function toJson(cell: Cell | Date | bigint): Cell {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === 'bigint' ? Number(cell) : cell;
}
