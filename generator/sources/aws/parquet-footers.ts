import type { TextRow } from '../../core/collection/values/query-day.js';
import { toLiteral } from '../../engines/duckdb-tables.js';
import { EngineError, type Engine } from '../../engines/engine.js';
import { SourceError } from '../source.js';
import type { ByteRange } from './byte-ranges.js';

/** A column of a Parquet file, from its footer. */
type FileColumn = {
  readonly type: string;
  /** The parts of the column, one or more for each group of rows. */
  readonly chunks: readonly ByteRange[];
};

/** The columns of a file by their names in lower case. */
export type FileColumns = ReadonlyMap<string, FileColumn>;

/** A file on this machine, of which only the footer needs to be there. */
type LocalFile = { readonly path: string; readonly uri: string };

type Text = string | null | undefined;

/** Reads the footers of Parquet files. Names are compared without case, as engines do. @throws SourceError 'shape' */
export async function readFooters(
  files: readonly LocalFile[],
  { engine, source, signal }: { engine: Engine; source: string; signal: AbortSignal },
): Promise<FileColumns[]> {
  const columns = files.map(
    (
      { path },
      i,
    ) => `SELECT '${i}' AS file, column_name AS name, column_type AS type, NULL AS start, NULL AS bytes
      FROM (DESCRIBE SELECT * FROM read_parquet(${toLiteral(path)}, hive_partitioning = false))`,
  );
  // A column without a dictionary has no offset of one, or 0 from some writers.
  const chunks = `SELECT file_name, path_in_schema, NULL,
      CAST(CASE WHEN dictionary_page_offset >= 4 THEN least(dictionary_page_offset, data_page_offset)
        ELSE data_page_offset END AS VARCHAR), CAST(total_compressed_size AS VARCHAR)
    FROM parquet_metadata([${files.map(({ path }) => toLiteral(path)).join(', ')}])`;
  try {
    const rows = await engine.run({ sql: [...columns, chunks].join(' UNION ALL '), tables: {} }, signal);
    return files.map(({ path }, i) => {
      const own = rows.filter(({ file }) => file === path);
      const described = rows.filter(({ file }) => file === String(i));
      return new Map(described.map(({ name, type }) => [toKey(name), toColumn(name, type, own)]));
    });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const uris = files.map(({ uri }) => uri).join(', ');
    throw new SourceError(
      'shape',
      `${source}: expected footers of Parquet files in ${uris}: ${error.message}`,
      { cause: error },
    );
  }
}

/** Returns a column with its chunks. Those of a list have the list's name first in their path. */
function toColumn(name: Text, type: Text, chunks: readonly TextRow[]): FileColumn {
  const own = chunks.filter((chunk) => toKey(chunk['name']?.split(', ', 1)[0]) === toKey(name));
  return { type: type ?? '', chunks: own.map(toRange) };
}

function toKey(name: Text): string {
  return (name ?? '').toLowerCase();
}

function toRange({ start, bytes }: TextRow): ByteRange {
  return { start: Number(start), end: Number(start) + Number(bytes) };
}
