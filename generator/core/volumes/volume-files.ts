import { VOLUME_FORMATS, type VolumeFormat, type VolumeGenre } from '../../../schemas/catalog.js';
import { volumePath } from '../../../schemas/paths.js';
import type {
  Chain,
  ManifestVolume,
  Methodology,
  Volume,
  VolumeFile,
} from '../../../schemas/types.generated.js';
import { subscriberTypeOf } from '../../../schemas/object-headers.js';
import { type Artifact, type Content, toArtifact } from '../artifacts/artifact.js';
import { type Cell, type CellType, csvLine, type NumberForm } from '../text/csv.js';
import { type Column, columnsOf, type VersionRow } from './columns.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { addDays, toDayNumber } from '../../../schemas/dates.js';

/**
 * The forms of a volume's files, by the number of its schema. New volumes are written in the form 2. Volumes of the form 1,
 * of earlier builds, are still packed again to verify them.
 */
const FORMS = {
  1: { numbers: 'shortest', booleans: undefined },
  2: { numbers: 'point', booleans: 'PLAIN' }, // some readers read the RLE of booleans as false
} as const satisfies Record<number, Form>;

type Form = {
  /** In CSV. */
  readonly numbers: NumberForm;
  /** The encoding in Parquet; without one, the writer chooses. */
  readonly booleans: 'PLAIN' | undefined;
};

/** The number of a schema of volumes. */
export type VolumeForm = keyof typeof FORMS;

const NEWEST: VolumeForm = 2;

/** Returns the schema of volumes of a genre. */
export const volumeSchema = (genre: VolumeGenre, form: VolumeForm = NEWEST): string =>
  `${genre}-volume/${form}`;

/**
 * Returns the form of volumes that manifests list: that of the first, because a release writes all in one. Where none is
 * listed, the former one: it closes fewer periods, so that it suits the releases of every build.
 */
export function volumeFormOf(volumes: readonly ManifestVolume[]): VolumeForm {
  const [first] = volumes;
  return first === undefined || first.schema.endsWith('/1') ? 1 : NEWEST;
}

/** What a volume is made from. */
type VolumeSource = {
  readonly genre: VolumeGenre;
  readonly chain: Chain;
  readonly period: Period;
  /** Ascending by date and version. At least one. */
  readonly rows: readonly VersionRow[];
  readonly methodology: Methodology;
  readonly form?: VolumeForm | undefined;
};

/** A volume: its entry in the manifest, and its files. */
type VolumeFiles = { readonly listed: ManifestVolume; readonly files: readonly Artifact[] };

/** Returns the files of volumes, as their manifest lists them. */
export function listedFiles(volumes: readonly ManifestVolume[] = []): VolumeFile[] {
  return volumes.flatMap(({ parquet, csv }) => [parquet, csv]);
}

/** Makes the files of a volume. */
export function volumeFiles(source: VolumeSource): VolumeFiles {
  const { genre, chain, period, rows, form } = source;
  const contents = volumeContents(source);
  const files = VOLUME_FORMATS.map((format) => {
    const path = volumePath(genre, chain, period.id, format);
    return toArtifact(path, subscriberTypeOf(path), () => contents[format]);
  });
  const [parquet, csv] = files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes }));
  if (parquet === undefined || csv === undefined) throw new Error('a volume has two formats');
  const { id, first, last } = period;
  const listed = { period: id, first_date: first, last_date: last, rows: rows.length };
  return { listed: { ...listed, schema: volumeSchema(genre, form), parquet, csv }, files };
}

/** Returns the content of a volume in each format. */
export function volumeContents({
  genre,
  chain,
  period,
  rows,
  methodology,
  form = NEWEST,
}: VolumeSource): Record<VolumeFormat, Content> {
  const columns = columnsOf(genre, chain, methodology).map((column) => toTableColumn(column, rows));
  const value: Volume = {
    schema: volumeSchema(genre, form),
    chain,
    period: period.id,
    columns: columns.map(({ name }) => name),
    rows: rows.map((_, i) => columns.map(({ cells }) => cells[i] ?? null)),
  };
  const units = Object.fromEntries(
    columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])),
  );
  const metadata = { schema: value.schema, chain, period: period.id, units: JSON.stringify(units) };
  return {
    parquet: { schema: 'volume', value, text: '', bytes: toParquet({ columns }, metadata, FORMS[form]) },
    csv: { schema: 'volume', value, text: toCsv({ columns }, FORMS[form]) },
  };
}

function toTableColumn(
  { read, ...column }: Column<VersionRow>,
  rows: readonly VersionRow[],
): Table['columns'][number] {
  return { ...column, cells: rows.map((row) => withoutNegativeZero(read(row))) };
}

/** JSON and CSV write -0 as 0, and Parquet would not. */
function withoutNegativeZero(cell: Cell): Cell {
  return typeof cell === 'number' ? cell + 0 : cell;
}

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

/** Returns the table as CSV: a header and the lines of `csvLine`, LF. */
export function toCsv({ columns }: Table, { numbers }: Form = FORMS[NEWEST]): string {
  const line = (_: Cell, row: number): string =>
    csvLine(
      columns,
      columns.map(({ cells }) => cells[row]),
      numbers,
    );
  const lines = [columns.map(({ name }) => name).join(','), ...(columns[0]?.cells.map(line) ?? [])];
  return lines.map((each) => `${each}\n`).join('');
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
export function toParquet(
  { columns }: Table,
  metadata: Readonly<Record<string, string>>,
  { booleans }: Form = FORMS[NEWEST],
): Uint8Array {
  const rows = columns[0]?.cells.length ?? 0;
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, type, cells }) => ({
      name,
      data: cells.map((cell) => toParquetCell(type, cell)),
      ...(type === 'boolean' && booleans !== undefined ? { encoding: booleans } : {}),
    })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type, required }) => ({
        name,
        ...PARQUET_TYPES[type],
        repetition_type: required ? ('REQUIRED' as const) : ('OPTIONAL' as const),
      })),
    ],
    rowGroupSize: rows,
    codec: 'SNAPPY',
    createdBy: 'chain-reference-data version 1',
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  return new Uint8Array(buffer);
}

function toParquetCell(type: CellType, cell: Cell): unknown {
  if (cell === null) return undefined;
  if (type === 'integer') return BigInt(cell);
  return type === 'date' ? toDayNumber(String(cell)) : cell;
}

/** Days after which a date counts as settled if its source does not say. */
const SETTLING_DAYS = 7;

/** A closed part of a history: a year, or a month of a year that is not closed. Both dates belong to it. */
export type Period = { readonly id: string; readonly first: string; readonly last: string };

/** A history: its first and last date, how many days its source settles a date, and in which revision it is published. */
export type PublishedHistory = {
  readonly first: string;
  readonly through: string;
  readonly settlingDays?: number | undefined;
  /** Revision of the publication: it begins with the date. */
  readonly revision: string;
  /** The periods that an earlier release closed: they stay closed as long as their last date is published. */
  readonly closed?: readonly string[];
};

/**
 * Returns the closed periods of a history, ascending. A period is closed when its last date is published and has settled,
 * also when its source has ended with it, or was closed before. The first one begins with the history.
 */
export function closedPeriods(history: PublishedHistory): Period[] {
  const { first, through, settlingDays = SETTLING_DAYS, revision, closed = [] } = history;
  const settled = addDays(revision.slice(0, 10), -settlingDays - 1);
  const isClosed = ({ id, last }: Period): boolean =>
    last <= through && (last <= settled || closed.includes(id));
  const periods: Period[] = [];
  for (let start = first; ;) {
    const period = [yearOf(start), monthOf(start)].find(isClosed);
    if (period === undefined) return periods;
    periods.push({ ...period, first: start });
    start = addDays(period.last, 1);
  }
}

function yearOf(date: string): Period {
  const id = date.slice(0, 4);
  return { id, first: `${id}-01-01`, last: `${id}-12-31` };
}

function monthOf(date: string): Period {
  const id = date.slice(0, 7);
  return { id, first: `${id}-01`, last: addDays(`${addDays(`${id}-28`, 4).slice(0, 7)}-01`, -1) };
}
