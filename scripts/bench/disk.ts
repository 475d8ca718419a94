import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BenchError } from './bench.js';

/** A file system that is mounted: the device, where, and of what type. */
export type Mount = { readonly device: string; readonly folder: string; readonly type: string };

const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs'];
const PROBE_FILES = 2_000;
const PROBE_BYTES = 2_048;

/**
 * Creates a fresh folder below `parent`; resolves its path and the mount that it lies on.
 * @throws BenchError when that is memory and no disk: there a flush costs nothing.
 */
export async function createWorkFolder(parent: string): Promise<{ folder: string; mount: Mount }> {
  await mkdir(parent, { recursive: true });
  const place = await realpath(parent);
  const mount = findMount(parseMounts(await readMounts()), place);
  if (mount === undefined) throw new BenchError(`--work ${parent}: lies on no mount of /proc/mounts`);
  if (IN_MEMORY.includes(mount.type)) {
    throw new BenchError(
      `--work ${parent}: is ${mount.type}, which is memory (mounted at ${mount.folder}); give a folder on a disk`,
    );
  }
  return { folder: await mkdtemp(path.join(place, 'run-')), mount };
}

/** The mounts in the text of `/proc/mounts`, in its order. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [device, folder, type] = line.split(' ');
    if (device === undefined || folder === undefined || type === undefined) return [];
    const plain = folder.replace(/\\([0-7]{3})/g, (_match, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [{ device, folder: plain, type }];
  });
}

/** The mount that an absolute path without links lies on: the deepest one, and of two in one place the later. */
export function findMount(mounts: readonly Mount[], place: string): Mount | undefined {
  const isAbove = ({ folder }: Mount): boolean =>
    folder === '/' || place === folder || place.startsWith(`${folder}/`);
  return mounts
    .filter(isAbove)
    .reduce<Mount | undefined>(
      (best, each) => (each.folder.length >= (best?.folder.length ?? 0) ? each : best),
      undefined,
    );
}

/** Writes and flushes small files into the new `folder`, one after another; the number of files per second. */
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
    throw new BenchError('/proc/mounts cannot be read: this bench needs Linux', { cause: error });
  }
}
