import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { codeOf } from '../../infra/store/system-error.js';
import { GeneratorError } from '../core/generator-error.js';

/** The files of an input, in a directory or below a prefix of a bucket. */
export type InputFolder = {
  /** The address as the operator typed it. */
  readonly address: string;
  /** Returns the names of the files in ascending order, without those in subfolders. */
  readonly list: () => Promise<string[]>;
  /** Opens a file. The stream fails with a system error if the file does not exist or cannot be read. */
  readonly open: (name: string) => Promise<Readable>;
};

/**
 * Opens the folder at an address, which is a path or `s3://bucket/prefix`.
 * @throws StoreError 'address' for an invalid S3 address.
 */
export async function openInputFolder(
  address: string,
  openStore: (address: string) => Promise<ObjectStore>,
): Promise<InputFolder> {
  return address.startsWith('s3://')
    ? toStoredFolder(address, await openStore(address))
    : toDirectory(address);
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
    open: (name) => Promise.resolve(createReadStream(path.join(folder, name))),
  };
}

/** Opens a prefix of a bucket. `list` and `open` throw StoreError if the bucket cannot be read. */
function toStoredFolder(address: string, store: ObjectStore): InputFolder {
  let listed: readonly string[] | undefined;
  return {
    address,
    async list() {
      const names: string[] = [];
      for await (const { key } of store.list('')) if (!key.includes('/')) names.push(key);
      return (listed = names);
    },
    async open(name) {
      // For a missing key, S3 answers "denied" to a caller that may list only below a prefix.
      const isMissing = listed?.includes(name) === false;
      const found = isMissing ? undefined : await store.get(name);
      return found === undefined ? missingFile(name) : Readable.from([Buffer.from(found.bytes)]);
    },
  };
}

/** Returns a stream that fails like that of a file that does not exist. */
function missingFile(name: string): Readable {
  const error = Object.assign(new Error(`no such object: ${name}`), { code: 'ENOENT', syscall: 'get' });
  return new Readable({
    read() {
      this.destroy(error);
    },
  });
}
