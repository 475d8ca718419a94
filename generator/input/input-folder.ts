import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { filePathOf } from '../../schemas/store-address.js';
import type { CollectedFile, CollectionPointer } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { codeOf } from '../../infra/store/system-error.js';
import { GeneratorError } from '../core/generator-error.js';
import { createHash } from 'node:crypto';
import { collectedKey, COLLECTION_KEY } from '../../schemas/paths.js';
import { assertValid, SchemaError } from '../../schemas/validate.js';
import { isUtf8 } from 'node:buffer';
import type { InputFault } from '../core/input/input-series.js';

/** The files of an input, in a directory or below a prefix of a bucket. */
export type InputFolder = {
  /** The address as the operator typed it. */
  readonly address: string;
  /** Returns the names of the files in ascending order, without those in subfolders. A directory also gives the names of its subfolders. */
  readonly list: () => Promise<string[]>;
  /**
   * Opens a file. The stream fails with a system error if the file does not exist or cannot be read, and with
   * FileFaultError if the file is known to be larger than the limit.
   */
  readonly open: (name: string, limit: InputLimit) => Promise<Readable>;
  /** Returns the pointer that `list` followed; `undefined` for a folder that `generator collect` does not keep. */
  readonly collection?: () => CollectionPointer | undefined;
};

/**
 * Opens the folder at an address, which is a path, `file:PATH` or `s3://bucket/prefix`.
 * @throws StoreError 'address' for an invalid S3 address.
 */
export async function openInputFolder(
  address: string,
  openStore: (address: string) => Promise<ObjectStore>,
): Promise<InputFolder> {
  return withCollection(
    address.startsWith('s3://') ? toStoredFolder(address, await openStore(address)) : toDirectory(address),
  );
}

/** Opens the directory at a path or `file:PATH`. `list` throws GeneratorError 'usage' if it cannot be read. */
export function toDirectory(address: string): InputFolder {
  const folder = filePathOf(address) ?? address;
  return {
    address,
    async list() {
      try {
        return (await readdir(folder)).sort();
      } catch (error) {
        const code = codeOf(error) ?? 'unreadable';
        throw new GeneratorError(
          'usage',
          `--input ${address} cannot be read (${code}). Name the directory of the metrics.`,
          { cause: error },
        );
      }
    },
    async open(name, limit) {
      const file = path.join(folder, name);
      const found = await stat(file).catch(() => undefined); // opening it reports the error, also of a directory
      if (found !== undefined && !found.isFile() && !found.isDirectory()) return failWith(notAFile());
      const size = found?.size ?? 0;
      return size > limit.max ? failWith(tooLarge(limit, size)) : createReadStream(file);
    },
  };
}

/** Opens a prefix of a bucket. `list` and `open` throw StoreError if the bucket cannot be read. */
function toStoredFolder(address: string, store: ObjectStore): InputFolder {
  let sizes: ReadonlyMap<string, number> | undefined;
  return {
    address,
    async list() {
      const listed = new Map<string, number>();
      for await (const { key, sizeBytes } of store.list(''))
        if (!key.includes('/')) listed.set(key, sizeBytes);
      sizes = listed;
      return [...listed.keys()];
    },
    async open(name, limit) {
      const size = sizes?.get(name) ?? 0;
      if (size > limit.max) return failWith(tooLarge(limit, size));
      // For a missing key, S3 answers "denied" to a caller that may list only below a prefix.
      const isMissing = !name.includes('/') && sizes?.has(name) === false;
      const found = isMissing ? undefined : await store.get(name);
      return found === undefined ? failWith(missingFile(name)) : Readable.from([Buffer.from(found.bytes)]);
    },
  };
}

/** Returns an error like that of a file that does not exist. */
function missingFile(name: string): Error {
  return Object.assign(new Error(`no such object: ${name}`), { code: 'ENOENT', syscall: 'get' });
}

/** Returns the fault of a named pipe or a device. Reading one may never end. */
function notAFile(): FileFaultError {
  return new FileFaultError('is not a file', 'put a file of this name there');
}

function failWith(error: Error): Readable {
  return new Readable({
    read() {
      this.destroy(error);
    },
  });
}

/** The file of the operator's site beside the metrics. */
export const SITE_FILE = 'site.json';

/**
 * Returns a folder of metrics as it is or, if `generator collect` keeps it, with the files that its pointer names and
 * the `site.json` that the operator put beside the pointer. The pointer is read once, by `list`, so that all files are of one collection.
 */
function withCollection(folder: InputFolder): InputFolder {
  let pointer: CollectionPointer | undefined;
  let files: ReadonlyMap<string, CollectedFile> | undefined;
  return {
    address: folder.address,
    async list() {
      const names = await folder.list();
      if (!names.includes(COLLECTION_KEY)) return names;
      pointer = await readPointer(folder);
      files = new Map(Object.entries(pointer.files));
      return [...files.keys(), ...names.filter((name) => name === SITE_FILE)].sort();
    },
    async open(name, limit) {
      const file = files?.get(name);
      return file === undefined ? folder.open(name, limit) : openCollected(folder, file.sha256, limit);
    },
    collection: () => pointer,
  };
}

/** Opens the file of a collection with this digest. The stream fails with FileFaultError if it has other bytes. */
export async function openCollected(
  folder: Pick<InputFolder, 'open'>,
  sha256: string,
  limit: InputLimit,
): Promise<Readable> {
  const source = await folder.open(collectedKey(sha256), limit);
  return Readable.from(verified(source, sha256)).on('close', () => source.destroy());
}

/** Reads the pointer. @throws GeneratorError 'damaged' if it is not what it should be. */
async function readPointer(folder: InputFolder): Promise<CollectionPointer> {
  const { collectionFile } = INPUT_LIMITS;
  const chunks: Buffer[] = [];
  try {
    const source: AsyncIterable<Buffer> = await folder.open(COLLECTION_KEY, collectionFile);
    for await (const chunk of chunksWithin(source, collectionFile)) chunks.push(chunk);
    return assertValid('collection', JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch (error) {
    const isWrong = [SchemaError, SyntaxError, FileFaultError].some((each) => error instanceof each);
    if (!isWrong || !(error instanceof Error)) throw error;
    const remedy = 'Restore it from an older version or a backup of the input.';
    throw new GeneratorError('damaged', `${folder.address}: ${COLLECTION_KEY} ${error.message}. ${remedy}`, {
      cause: error,
    });
  }
}

/** Yields the chunks of a file. @throws FileFaultError at the end if they have another digest. */
async function* verified(source: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) {
    const remedy = `restore ${collectedKey(sha256)} from a backup of the input`;
    throw new FileFaultError(`has other bytes than ${COLLECTION_KEY} says`, remedy);
  }
}

/** Facts about a text file that was read to its end. */
export type TextEnd = {
  readonly lines: number;
  readonly hasFinalLineEnd: boolean;
  readonly sha256: string;
};

/** Reads a text file once, line by line. */
type TextReader = {
  /** Yields the lines, line ends included. @throws FileFaultError if one is not UTF-8 or too long. */
  readonly lines: () => AsyncGenerator<string>;
  /** Returns the end of the file, or `undefined` before it was reached. */
  readonly end: () => TextEnd | undefined;
};

/** Creates the reader of a file. The memory that it needs is bounded by the limit of a line. */
export function createTextReader(source: AsyncIterable<Buffer>, limit: InputLimit): TextReader {
  const hash = createHash('sha256');
  let line = 0;
  let end: TextEnd | undefined;

  /** Decodes a line; `dropped` is the number of its bytes that were only counted. */
  function decode(bytes: Buffer, dropped: number): string {
    line += 1;
    const size = dropped + bytes.length;
    if (size > limit.max)
      throw new FileFaultError(`the line ${describeExcess(limit, size)}`, 'break or remove the line', line);
    if (!isUtf8(bytes)) throw new FileFaultError('the text is not UTF-8', 'save the file as UTF-8', line);
    return bytes.toString('utf8');
  }

  async function* lines(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    let dropped = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
        yield decode(rest.subarray(0, at + 1), dropped);
        rest = rest.subarray(at + 1);
      }
      if (dropped + rest.length > limit.max) {
        dropped += rest.length;
        rest = Buffer.alloc(0);
      }
    }
    if (dropped + rest.length > 0) yield decode(rest, dropped);
    end = { lines: line, hasFinalLineEnd: rest.length === 0, sha256: hash.digest('hex') };
  }

  return { lines, end: () => end };
}

/** A limit of the input: what it limits, in words for the README, and in which unit. */
export type InputLimit = { readonly of: string; readonly max: number; readonly unit: string };

/** The limits of an input. They are far above any real one: all metrics of bitcoin since 2009 have about 1 MB. */
export const INPUT_LIMITS = {
  metricsFile: { of: 'a metrics file', max: 16_000_000, unit: 'bytes' },
  metricsLine: { of: 'a line of a metrics file', max: 10_000, unit: 'bytes' },
  collectionFile: { of: '`collection.json`', max: 100_000, unit: 'bytes' },
  lineageFile: { of: 'a lineage', max: 16_000_000, unit: 'bytes' },
  ledgerFile: { of: 'a ledger', max: 64_000_000, unit: 'bytes' },
  sourcesFile: { of: '`sources.json`', max: 100_000, unit: 'bytes' },
  siteFile: { of: '`site.json`', max: 10_000, unit: 'bytes' },
  jsonDepth: { of: 'nesting in `sources.json` and `site.json`', max: 8, unit: 'levels' },
  sourcesSegments: { of: 'the list of a chain in `sources.json`', max: 1_000, unit: 'segments' },
  sourcesText: { of: 'a text in `sources.json`', max: 1_000, unit: 'characters' },
} as const satisfies Record<string, InputLimit>;

const OTHER_FILE = 'make sure that it is the right file, and remove what does not belong there';

/** Describes a value above a limit: "has 20,000 bytes, more than the limit of 10,000". */
export function describeExcess({ max, unit }: InputLimit, found: number): string {
  return `has ${formatWhole(found)} ${unit}, more than the limit of ${formatWhole(max)}`;
}

/** Returns the fault of a file of this size, which is above the limit. */
function tooLarge(limit: InputLimit, bytes: number): FileFaultError {
  return new FileFaultError(describeExcess(limit, bytes), OTHER_FILE);
}

/** Yields the chunks of a file. @throws FileFaultError when there are more bytes than the limit. */
export async function* chunksWithin(
  source: AsyncIterable<Buffer>,
  limit: InputLimit,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limit.max) {
      const message = `has more ${limit.unit} than the limit of ${formatWhole(limit.max)}`;
      throw new FileFaultError(message, OTHER_FILE);
    }
    yield chunk;
  }
}

/** Formats a whole number with a comma between thousands. */
export function formatWhole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A fault within a known file. */
export type FileFault = Pick<InputFault, 'line' | 'column' | 'message' | 'remedy'>;

/** A fault that ends the reading of an input file. Lines count from 1. */
export class FileFaultError extends Error {
  readonly remedy: string;
  readonly line: number | undefined;

  constructor(message: string, remedy: string, line?: number) {
    super(message);
    this.remedy = remedy;
    this.line = line;
  }
}

/** Describes why a file could not be read; `remedy` is for a system error. Throws any other error again. */
export function describeReadError(error: unknown, remedy: string): FileFault {
  if (error instanceof FileFaultError) {
    const { message, line } = error;
    return { message, remedy: error.remedy, ...(line === undefined ? {} : { line }) };
  }
  const code = codeOf(error);
  if (code === undefined) throw error;
  return { message: `cannot be read (${code})`, remedy };
}
