import { createHash } from 'node:crypto';
import { mkdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../object-store.js';
import { codeOf, ignoreAbsent } from '../system-error.js';
import { directoryOf } from './directory-address.js';

/** Folder of the spare files. Its name begins with a dot, so that none of them is a key. */
const FOLDER = '.gc-space';
/** More files and bytes than a hold, its end and a lease need, folders and locks included. */
const FILES = 32;
const FILE_BYTES = 8_192;

/** Size of the spare space. `files` includes its folder. */
export const SPARE_SPACE = { bytes: FILES * FILE_BYTES, files: FILES + 1 };

/**
 * Creates files without meaning in a directory store, unless they exist already. On a full disk they are deleted to make
 * room for the lease of a garbage collection, or for a hold. Does nothing for other stores, and ends at the first file that cannot be created.
 */
export async function createSpareSpace(address: string): Promise<void> {
  const root = directoryOf(address);
  if (root === undefined) return;
  const folder = path.join(root, FOLDER);
  await mkdir(folder).catch(() => undefined);
  for (const file of namesIn(folder)) {
    try {
      if (await isComplete(file)) continue;
      await rm(file, { force: true });
      await writeFile(file, contentOf(file), { flag: 'wx', flush: true });
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue; // another run creates it
      await rm(file, { force: true }).catch(() => undefined);
      return;
    }
  }
}

/** Deletes the spare files, and returns whether any was deleted. */
export async function deleteSpareSpace(address: string): Promise<boolean> {
  const root = directoryOf(address);
  if (root === undefined) return false;
  const folder = path.join(root, FOLDER);
  const deleted = await Promise.allSettled(namesIn(folder).map((file) => rm(file)));
  await rmdir(folder).catch(() => undefined);
  return deleted.some(({ status }) => status === 'fulfilled');
}

/** Returns whether an operation of a store failed because the disk or a quota is used up. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return /^(ENOSPC|EDQUOT)$/.test(codeOf(error.cause) ?? '') || isOutOfSpace(error.cause);
}

/** Returns bytes that no file system can compress, and that are the same in every store. */
function contentOf(file: string): Buffer {
  const name = path.basename(file);
  const parts = Array.from({ length: FILE_BYTES / 64 }, (_, i) =>
    createHash('sha512').update(`${name} ${i}`).digest(),
  );
  return Buffer.concat(parts);
}

/** Returns whether a spare file has its size: a run that was killed may have left an empty one. */
async function isComplete(file: string): Promise<boolean> {
  return (await stat(file).catch(ignoreAbsent))?.size === FILE_BYTES;
}

function namesIn(folder: string): string[] {
  return Array.from({ length: FILES }, (_, i) => path.join(folder, String(i)));
}
