import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../engines/engine.js';
import { codeOf, ignoreAbsent, toStoreError } from '../../../infra/store/system-error.js';
import { SourceError } from '../source.js';
import type { Bucket } from './bucket.js';
import { planRanges, splitRanges, type ByteRange } from './byte-ranges.js';
import { inParallel } from './in-parallel.js';
import { readFooters, type FileColumns } from './parquet-footers.js';
import type { RawObject } from './raw-objects.js';

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

/** Copies columns of objects whose footers are there. @throws SourceError */
export async function copyColumns(
  copies: readonly (readonly [copy: PartialCopy, columns: readonly string[]])[],
  { bucket, source }: Pick<Copying, 'bucket' | 'source'>,
): Promise<void> {
  const pieces = copies.flatMap(([copy, columns]) =>
    splitRanges(rangesOf(copy, columns, source)).map((range) => ({ copy, range })),
  );
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

/** Returns the bytes of columns that are not copied yet. @throws SourceError 'shape' if they are not in the object. */
function rangesOf(
  { object, columns, tailStart }: PartialCopy,
  wanted: readonly string[],
  source: string,
): ByteRange[] {
  const needed = wanted.flatMap((name) => columns.get(name)?.chunks ?? []);
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
