import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { codeOf } from '../../infra/store/system-error.js';
import { GeneratorError } from '../core/generator-error.js';

/** Where the files of an input lie: in a directory, or below a prefix of a bucket. */
export type InputFolder = {
  /** As the operator typed it. */
  readonly address: string;
  /** Names of the files, ascending; not of those in folders within. */
  readonly list: () => Promise<string[]>;
  /** The bytes of a file; the stream fails with a system's error when there is none or it cannot be read. */
  readonly open: (name: string) => Promise<Readable>;
};

/**
 * The folder at an address: a path, or `s3://bucket/prefix`, opened by `openStore`.
 * @throws StoreError 'address' for an S3 address that is none.
 */
export async function openInputFolder(
  address: string,
  openStore: (address: string) => Promise<ObjectStore>,
): Promise<InputFolder> {
  return address.startsWith('s3://')
    ? toStoredFolder(address, await openStore(address))
    : toDirectory(address);
}

/** A directory as a folder of input. `list` throws GeneratorError 'usage' when it cannot be read. */
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
          `--input ${folder}: cannot be read (${code}); give the directory of the metrics`,
          { cause: error },
        );
      }
    },
    open: (name) => Promise.resolve(createReadStream(path.join(folder, name))),
  };
}

/** What lies directly below a prefix as a folder of input; a bucket that cannot be read throws StoreError. */
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
      // Asked for a key that is missing, S3 says "denied" to who may list below a prefix only.
      const isMissing = listed?.includes(name) === false;
      const found = isMissing ? undefined : await store.get(name);
      return found === undefined ? failing(name) : Readable.from([Buffer.from(found.bytes)]);
    },
  };
}

/** A stream that fails as that of a file does that is not there. */
function failing(name: string): Readable {
  const error = Object.assign(new Error(`no such object: ${name}`), { code: 'ENOENT', syscall: 'get' });
  return new Readable({
    read() {
      this.destroy(error);
    },
  });
}
