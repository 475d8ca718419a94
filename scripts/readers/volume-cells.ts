import { parseString } from 'fast-csv';
import { VOLUME_GENRES } from '../../schemas/catalog.js';
import { objectKey, volumeSchemaPath } from '../../schemas/paths.js';
import { readPointer, readRecord } from '../../generator/state/published-state.js';
import { readArtifactJson } from '../../generator/state/stored-json.js';
import type { ObjectStore } from '../../infra/store/object-store.js';

/** A table of cells as text, in the form that `toCell` returns. The first row has the names of the columns. */
export type CellTable = readonly (readonly string[])[];

/** A Parquet volume, and the cells that its CSV and its Table Schema state. */
export type StatedVolume = {
  readonly path: string;
  readonly parquet: Uint8Array;
  readonly cells: CellTable;
};

/** Reads every volume of the current release. @throws Error if the store has none. */
export async function readStatedVolumes(store: ObjectStore): Promise<StatedVolume[]> {
  const pointer = await readPointer(store);
  if (pointer === undefined)
    throw new Error('The store has no release. Publish one, for example with npm run demo.');
  const record = await readRecord(store, pointer.value);
  const read = async (digest = ''): Promise<Buffer> =>
    Buffer.from((await store.get(objectKey(digest)))?.bytes ?? []);
  const volumes: StatedVolume[] = [];
  for (const { sha256 } of Object.values(record.manifests)) {
    const { genre, chain, volumes: own = [] } = await readArtifactJson(store, sha256, 'manifest');
    const hasSchema = VOLUME_GENRES.find((each) => each === genre);
    if (hasSchema === undefined) continue;
    const schema = await read(record.public[volumeSchemaPath(hasSchema, chain)]?.sha256);
    const { fields } = JSON.parse(schema.toString()) as { fields: Field[] }; // our own file
    for (const { parquet, csv } of own) {
      const cells = await parseCells((await read(csv.sha256)).toString(), fields);
      volumes.push({ path: parquet.path, parquet: await read(parquet.sha256), cells });
    }
  }
  return volumes;
}

/** A column in a Table Schema. */
type Field = { readonly name: string; readonly type: string };

/** Returns the cells of a CSV. @throws Error if its columns are not those of the schema. */
async function parseCells(csv: string, fields: readonly Field[]): Promise<CellTable> {
  const rows: string[][] = [];
  for await (const row of parseString(csv)) rows.push(row as string[]); // without headers, rows are lists
  const [names = [], ...lines] = rows;
  if (names.join() !== fields.map(({ name }) => name).join())
    throw new Error('A CSV has other columns than its schema.');
  return [names, ...lines.map((line) => line.map((text, i) => toCell(text, fields[i]?.type ?? '')))];
}

/**
 * Returns the text by which cells are compared: `null`, `true`, `42`, `2023-09-26`, the bits of a double such as
 * `0x3ff0000000000000`, or a text after one quotation mark. The programs of the readers print the same.
 */
function toCell(text: string, type: string): string {
  if (text === '') return 'null';
  if (type === 'string') return `"${text}`;
  return type === 'number' ? bitsOf(Number(text)) : text;
}

function bitsOf(value: number): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return `0x${bits.toString('hex')}`;
}

/** How a reader's cell relates to the stated one: it may be the same value of another type. */
export type Agreement = 'same' | 'date as instant' | 'integer as double' | 'different';

/** Compares a cell of a reader with the stated one. */
export function compareCells(stated: string, read: string | undefined): Agreement {
  if (read === stated) return 'same';
  if (read === `${stated}T00:00:00.000Z`) return 'date as instant';
  if (/^-?\d+$/.test(stated) && read === bitsOf(Number(stated))) return 'integer as double';
  return 'different';
}

/** Returns the tables that a program printed: for each file a row of names and its rows, in lines, and an empty line. */
export function parsePrinted(text: string): CellTable[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((table) => table.split('\n').map((line) => line.split('\t')));
}

/** The number of cells that a reader read, of each agreement, and where the first of those that differ are. */
export type Comparison = {
  readonly cells: number;
  readonly counts: ReadonlyMap<Agreement, number>;
  readonly differences: readonly string[];
};

/** Compares the tables that a reader printed with the volumes, cell by cell. */
export function compareTables(volumes: readonly StatedVolume[], printed: readonly CellTable[]): Comparison {
  const counts = new Map<Agreement, number>();
  const differences: string[] = [];
  let cells = 0;
  for (const [v, { path, cells: stated }] of volumes.entries()) {
    const read = printed[v] ?? [];
    if (read.length !== stated.length)
      differences.push(`${path}: ${read.length} lines instead of ${stated.length}`);
    for (const [r, row] of stated.entries()) {
      for (const [c, cell] of row.entries()) {
        const agreement = compareCells(cell, read[r]?.[c]);
        if (r > 0) cells += 1; // not names
        counts.set(agreement, (counts.get(agreement) ?? 0) + 1);
        if (agreement === 'different')
          differences.push(
            `${path} row ${r} ${stated[0]?.[c] ?? ''}: ${read[r]?.[c] ?? 'nothing'}, not ${cell}`,
          );
      }
    }
  }
  return { cells, counts, differences };
}
