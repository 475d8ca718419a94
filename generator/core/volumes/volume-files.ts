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
import { toArtifact, type Artifact, type Content } from '../artifacts/artifact.js';
import type { Cell, Column, VersionRow } from './column.js';
import { columnsOf } from './columns.js';
import type { Period } from './periods.js';
import { toCsv, toParquet, type Table } from './volume-bytes.js';

/** The schema of new volumes of a genre. */
export const volumeSchema = (genre: VolumeGenre): string => `${genre}-volume/1`;

/** What a volume is made from. */
type VolumeSource = {
  readonly genre: VolumeGenre;
  readonly chain: Chain;
  readonly period: Period;
  /** Ascending by date and version. At least one. */
  readonly rows: readonly VersionRow[];
  readonly methodology: Methodology;
};

/** A volume: its entry in the manifest, and its files. */
type VolumeFiles = { readonly listed: ManifestVolume; readonly files: readonly Artifact[] };

/** Returns the files of volumes, as their manifest lists them. */
export function listedFiles(volumes: readonly ManifestVolume[] = []): VolumeFile[] {
  return volumes.flatMap(({ parquet, csv }) => [parquet, csv]);
}

/** Makes the files of a volume. */
export function volumeFiles(source: VolumeSource): VolumeFiles {
  const { genre, chain, period, rows } = source;
  const contents = toContents(source);
  const files = VOLUME_FORMATS.map((format) => {
    const path = volumePath(genre, chain, period.id, format);
    return toArtifact(path, subscriberTypeOf(path), () => contents[format]);
  });
  const [parquet, csv] = files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes }));
  if (parquet === undefined || csv === undefined) throw new Error('a volume has two formats');
  const { id, first, last } = period;
  const listed = { period: id, first_date: first, last_date: last, rows: rows.length };
  return { listed: { ...listed, schema: volumeSchema(genre), parquet, csv }, files };
}

function toContents({
  genre,
  chain,
  period,
  rows,
  methodology,
}: VolumeSource): Record<VolumeFormat, Content> {
  const columns = columnsOf(genre, chain, methodology).map((column) => toTableColumn(column, rows));
  const value: Volume = {
    ...{ schema: volumeSchema(genre), chain, period: period.id },
    columns: columns.map(({ name }) => name),
    rows: rows.map((_, i) => columns.map(({ cells }) => cells[i] ?? null)),
  };
  const units = Object.fromEntries(
    columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])),
  );
  const metadata = { schema: value.schema, chain, period: period.id, units: JSON.stringify(units) };
  return {
    parquet: { schema: 'volume', value, text: '', bytes: toParquet({ columns }, metadata) },
    csv: { schema: 'volume', value, text: toCsv({ columns }) },
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
