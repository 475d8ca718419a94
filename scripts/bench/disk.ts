import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BenchError } from './bench.js';

/** A mounted file system. `folder` is its mount point. */
export type Mount = { readonly device: string; readonly folder: string; readonly type: string };

const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs'];
const PROBE_FILES = 2_000;
const PROBE_BYTES = 2_048;

/**
 * Creates a new folder in `parent`. Resolves to its path and its file system.
 * @throws BenchError if the file system is in memory, where a flush costs nothing.
 */
export async function createWorkFolder(parent: string): Promise<{ folder: string; mount: Mount }> {
  await mkdir(parent, { recursive: true });
  const location = await realpath(parent);
  const mount = findMount(parseMounts(await readMounts()), location);
  if (mount === undefined)
    throw new BenchError(
      `--work ${parent} is not on a file system listed in /proc/mounts. Use another folder.`,
    );
  if (IN_MEMORY.includes(mount.type)) {
    throw new BenchError(
      `--work ${parent} is in memory (${mount.type}, mounted at ${mount.folder}). Use a folder on a disk.`,
    );
  }
  return { folder: await mkdtemp(path.join(location, 'run-')), mount };
}

/** Parses the text of `/proc/mounts`. */
function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [device, folder, type] = line.split(' ');
    if (device === undefined || folder === undefined || type === undefined) return [];
    const plain = folder.replace(/\\([0-7]{3})/g, (_match, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [{ device, folder: plain, type }];
  });
}

/** Returns the file system of an absolute path without links. If two have the same mount point, the later one hides the other. */
function findMount(mounts: readonly Mount[], location: string): Mount | undefined {
  const isAbove = ({ folder }: Mount): boolean =>
    folder === '/' || location === folder || location.startsWith(`${folder}/`);
  return mounts
    .filter(isAbove)
    .reduce<Mount | undefined>(
      (best, each) => (each.folder.length >= (best?.folder.length ?? 0) ? each : best),
      undefined,
    );
}

/** Writes and flushes small files to the new folder `folder`, one after the other, and returns the files per second. */
export function measureFlushRate(folder: string): number {
  mkdirSync(folder);
  const body = Buffer.alloc(PROBE_BYTES, 'x');
  const startedMs = performance.now();
  for (let i = 0; i < PROBE_FILES; i += 1) {
    const file = openSync(path.join(folder, String(i)), 'wx');
    writeSync(file, body);
    fdatasyncSync(file);
    closeSync(file);
  }
  return PROBE_FILES / ((performance.now() - startedMs) / 1000);
}

async function readMounts(): Promise<string> {
  try {
    return await readFile('/proc/mounts', 'utf8');
  } catch (error) {
    throw new BenchError('/proc/mounts cannot be read. Run this bench on Linux.', { cause: error });
  }
}
