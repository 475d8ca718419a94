import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Engine, EngineError } from '../../engines/engine.js';
import { codeOf, ignoreAbsent, toStoreError } from '../../../infra/store/system-error.js';
import { SourceError } from '../source.js';
import { type Bucket, type ByteRange, planRanges, type RawObject, splitRanges } from './bucket.js';
import type { TextRow } from '../../core/collection/query-day.js';
import { toLiteral } from '../../engines/duckdb-engine.js';

/** An object that is partly copied to a file of its full length. Bytes that were not copied take no space. */
export type PartialCopy = {
  readonly object: RawObject;
  readonly path: string;
  /** Start of the bytes that are copied: the footer, and maybe some before it. */
  readonly tailStart: number;
  readonly columns: FileColumns;
};

/** Tools for making copies. */
type Copying = {
  /** Id of the source, for messages. */
  readonly source: string;
  readonly bucket: Bucket;
  readonly engine: Engine;
  readonly signal: AbortSignal;
};

/** Beginning and end of a Parquet file. */
const MAGIC = Buffer.from('PAR1');
/** Length and magic after the footer. */
const END_BYTES = 8;
/** Bytes at the end of an object that are read first. Most footers are shorter. */
const TAIL_BYTES = 64 * 1024;
const MAX_FOOTER_BYTES = 64 * 1024 * 1024;
const PARALLEL = 8;
/** Beginning of the names of folders in the cache folder. */
const FOLDER = 'columns-';
/** Age after which nobody uses a folder: its run was killed. */
const STALE_MS = 24 * 3_600_000;

/** Calls `use` with a new folder in `cacheFolder`, and removes it afterwards with all that is in it. */
export async function withFolder<T>(cacheFolder: string, use: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined;
  try {
    await mkdir(cacheFolder, { recursive: true });
    await removeStale(cacheFolder);
    folder = await mkdtemp(path.join(path.resolve(cacheFolder), FOLDER));
    return await use(folder);
  } catch (error) {
    if (error instanceof SourceError || codeOf(error) === undefined) throw error;
    const { message } = toStoreError(error, cacheFolder) as Error; // it has a system code
    throw new SourceError('unavailable', `The cache folder cannot be used: ${message}`, { cause: error });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function removeStale(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith(FOLDER)) continue;
    const folder = path.join(cacheFolder, name);
    const found = await stat(folder).catch(ignoreAbsent); // another run may remove its own
    const isStale = found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
    if (isStale) await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the footers of objects into files of their full length in `folder`. @throws SourceError */
export async function copyFooters(
  objects: readonly RawObject[],
  folder: string,
  { bucket, source, engine, signal }: Copying,
): Promise<PartialCopy[]> {
  const files = objects.map((object, i) => ({
    object,
    uri: object.uri,
    path: path.join(folder, `${i}.parquet`),
  }));
  const starts = new Map<RawObject, number>();
  await inParallel(files, PARALLEL, async ({ object, path: file }) => {
    const tail = await readTail(object, { bucket, source });
    starts.set(object, object.bytes - tail.length);
    const handle = await open(file, 'wx');
    try {
      await handle.truncate(object.bytes);
      await handle.write(MAGIC, 0, MAGIC.length, 0);
      await handle.write(tail, 0, tail.length, object.bytes - tail.length);
    } finally {
      await handle.close();
    }
  });
  const footers = await readFooters(files, { source, engine, signal });
  return files.map(({ object, path: file }, i) => ({
    object,
    path: file,
    tailStart: starts.get(object) ?? object.bytes,
    columns: footers[i] ?? new Map(),
  }));
}

/**
 * Copies columns of objects whose footers are there: all their rows, or those of the groups that `isNeeded` names.
 * @throws SourceError
 */
export async function copyColumns(
  copies: readonly (readonly [copy: PartialCopy, columns: readonly string[]])[],
  { bucket, source }: Pick<Copying, 'bucket' | 'source'>,
  isNeeded: (group: number) => boolean = () => true,
): Promise<void> {
  const pieces = copies.flatMap(([copy, columns]) => {
    const chunks = columns.flatMap((name) => copy.columns.get(name)?.chunks ?? []);
    const needed = chunks.filter(({ group }) => isNeeded(group));
    return splitRanges(rangesOf(copy, needed, source)).map((range) => ({ copy, range }));
  });
  await inParallel(pieces, PARALLEL, async ({ copy, range }) => {
    const bytes = await bucket.read(copy.object, range);
    const handle = await open(copy.path, 'r+');
    try {
      await handle.write(bytes, 0, bytes.length, range.start);
    } finally {
      await handle.close();
    }
  });
}

/** Returns the bytes of chunks that are not copied yet. @throws SourceError 'shape' if they are not in the object. */
function rangesOf(
  { object, tailStart }: PartialCopy,
  needed: readonly ByteRange[],
  source: string,
): ByteRange[] {
  const outside = needed.find(
    ({ start, end }) => !(start >= MAGIC.length && start <= end && end <= object.bytes - END_BYTES),
  );
  if (outside !== undefined) {
    const got = `${outside.start} to ${outside.end} of ${object.bytes}`;
    throw new SourceError(
      'shape',
      `${source}: ${object.uri}: expected columns within the object, got the bytes ${got}.`,
    );
  }
  return planRanges(needed, tailStart);
}

/** Reads the end of an object, with its whole footer. */
async function readTail(
  object: RawObject,
  { bucket, source }: Pick<Copying, 'bucket' | 'source'>,
): Promise<Buffer> {
  const { bytes: size, uri } = object;
  const notParquet = (got: string): SourceError =>
    new SourceError('shape', `${source}: ${uri}: expected a Parquet file, got ${got}.`);
  if (size < MAGIC.length + END_BYTES) throw notParquet(`${size} bytes`);
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await bucket.read(object, { start, end: size });
  if (!tail.subarray(-MAGIC.length).equals(MAGIC)) throw notParquet('another end');
  const footerStart = size - END_BYTES - tail.readUInt32LE(tail.length - END_BYTES);
  if (footerStart < MAGIC.length || size - footerStart > MAX_FOOTER_BYTES) {
    throw notParquet(`a footer of ${size - END_BYTES - footerStart} bytes`);
  }
  if (footerStart >= start) return tail;
  return Buffer.concat([await bucket.read(object, { start: footerStart, end: start }), tail]);
}

/** A column of a Parquet file, from its footer. */
type FileColumn = {
  /** As DuckDB names it; `WIDE_DECIMAL` if DuckDB would read another. */
  readonly type: string;
  /** The parts of the column, one or more for each group of rows. */
  readonly chunks: readonly Chunk[];
};

/** The bytes of a part of a column. */
type Chunk = ByteRange & {
  /** Number of the group of rows, from 0. */
  readonly group: number;
};

/** DuckDB reads a decimal of more than 38 digits as a double, without a word. */
const WIDE_DECIMAL = 'DECIMAL of more than 38 digits';

/** The columns of a file by their names in lower case. */
type FileColumns = ReadonlyMap<string, FileColumn>;

/** A file on this machine, of which only the footer needs to be there. */
type LocalFile = { readonly path: string; readonly uri: string };

type Text = string | null | undefined;

/** Reads the footers of Parquet files. Names are compared without case, as engines do. @throws SourceError 'shape' */
async function readFooters(
  files: readonly LocalFile[],
  { engine, source, signal }: { engine: Engine; source: string; signal: AbortSignal },
): Promise<FileColumns[]> {
  const columns = files.map(
    (
      { path },
      i,
    ) => `SELECT '${i}' AS file, column_name AS name, column_type AS type, NULL AS start, NULL AS bytes, NULL AS part
      FROM (DESCRIBE SELECT * FROM read_parquet(${toLiteral(path)}, hive_partitioning = false))`,
  );
  // A column without a dictionary has no offset of one, or 0 from some writers.
  const chunks = `SELECT file_name, path_in_schema, type,
      CAST(CASE WHEN dictionary_page_offset >= 4 THEN least(dictionary_page_offset, data_page_offset)
        ELSE data_page_offset END AS VARCHAR), CAST(total_compressed_size AS VARCHAR),
      CAST(row_group_id AS VARCHAR)
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
  const isWide = type === 'DOUBLE' && own.some((chunk) => chunk['type'] !== 'DOUBLE');
  return { type: isWide ? WIDE_DECIMAL : (type ?? ''), chunks: own.map(toChunk) };
}

function toKey(name: Text): string {
  return (name ?? '').toLowerCase();
}

function toChunk({ start, bytes, part }: TextRow): Chunk {
  return { start: Number(start), end: Number(start) + Number(bytes), group: Number(part) };
}

/** Calls `run` for each item, at most `limit` at once. After a failure it starts no more, and waits for those that run. */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failures.length === 0; next = rest.next()) {
      await run(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
}
