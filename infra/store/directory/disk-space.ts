import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../system-error.js';
import { directoryOf } from './directory-address.js';

/** A larger disk with fewer files in total has no limit for them: some file systems report a number without meaning. */
const LARGE_DISK_BYTES = 1e9;
const FEWEST_FILES = 10_000;

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

/** Answer of `statfs`. `frsize` is the unit of the blocks; older versions of Node omit it. */
type FileSystemStats = Pick<StatsFs, 'bsize' | 'blocks' | 'bavail' | 'files' | 'ffree'> & {
  readonly frsize?: number;
};

/** Converts an answer of `statfs`; `undefined` for a file system that reports no blocks. */
export function toDiskSpace(stats: FileSystemStats): DiskSpace | undefined {
  const { bsize, frsize, blocks, bavail, files, ffree } = stats;
  if (blocks === 0) return undefined;
  const unit = frsize ?? bsize;
  const bytes = { free: bavail * unit, total: blocks * unit };
  const isLimited = files >= FEWEST_FILES || (files > 0 && bytes.total <= LARGE_DISK_BYTES);
  return isLimited ? { bytes, files: { free: ffree, total: files } } : { bytes };
}

async function readSpaceOf(folder: string): Promise<DiskSpace | undefined> {
  try {
    return toDiskSpace(await statfs(folder));
  } catch (error) {
    const parent = path.dirname(folder);
    return codeOf(error) === 'ENOENT' && parent !== folder ? readSpaceOf(parent) : undefined;
  }
}
