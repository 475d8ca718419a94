import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { CollectionPointer } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { codeOf } from '../../infra/store/system-error.js';
import { GeneratorError } from '../core/generator-error.js';
import { withCollection } from './collected-folder.js';
import { FileFaultError } from './file-fault.js';
import { tooLarge, type InputLimit } from './input-limits.js';

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
 * Opens the folder at an address, which is a path or `s3://bucket/prefix`.
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

/** Opens a directory. `list` throws GeneratorError 'usage' if it cannot be read. */
export function toDirectory(folder: string): InputFolder {
  return {
    address: folder,
    async list() {
      try {
        return (await readdir(folder)).sort();
      } catch (error) {
        const code = codeOf(error) ?? 'unreadable';
        throw new GeneratorError(
          'usage',
          `--input ${folder} cannot be read (${code}). Name the directory of the metrics.`,
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
