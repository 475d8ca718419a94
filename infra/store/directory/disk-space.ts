import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../system-error.js';
import { directoryOf } from './directory-address.js';

/** The space of a disk, as a process without special rights sees it. */
export type DiskSpace = {
  readonly bytes: Amount;
  /** Number of files; absent if the file system has no limit for it. */
  readonly files?: Amount;
};

export type Amount = { readonly free: number; readonly total: number };

/**
 * Returns the space of the disk of a directory store, which need not exist yet; `undefined` for any other store, and for
 * a file system that does not say. Quotas of a user or folder are usually not included.
 */
export async function readDiskSpace(address: string): Promise<DiskSpace | undefined> {
  const root = directoryOf(address);
  return root === undefined ? undefined : readSpaceOf(root);
}

async function readSpaceOf(folder: string): Promise<DiskSpace | undefined> {
  try {
    const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
    if (blocks === 0) return undefined;
    const bytes = { free: bavail * bsize, total: blocks * bsize };
    return files === 0 ? { bytes } : { bytes, files: { free: ffree, total: files } };
  } catch (error) {
    const parent = path.dirname(folder);
    return codeOf(error) === 'ENOENT' && parent !== folder ? readSpaceOf(parent) : undefined;
  }
}
