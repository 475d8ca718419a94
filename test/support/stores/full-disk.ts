import { execFile } from 'node:child_process';
import { cp, mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { MAIN, type GeneratorRun } from '../process/generator-run.js';
import { runProgram } from '../process/run-program.js';

const run = promisify(execFile);

/** Free space for a small artifact, but not for a release. */
const FREE_BYTES = 65_536;
/** Maximum size of a file, in blocks of 512 bytes. */
const MAX_FILE_BLOCKS = 8;

/** A disk with too little space for a release, until it is extended. */
export type FullDisk = {
  readonly root: string;
  /** The line that publish prints. */
  readonly error: RegExp;
  /** What a first publication leaves, apart from objects. */
  readonly left: readonly string[];
  /** Runs a command line with too little space for a release. */
  readonly runShort: (args: readonly string[]) => Promise<GeneratorRun>;
  readonly extend: () => Promise<void>;
  readonly dispose: () => Promise<void>;
};

/** Mounts a file system that is almost full. Without the right to mount, creates a limited disk. */
export async function createFullDisk(folder: string, store?: string): Promise<FullDisk> {
  const disk = path.join(folder, 'disk');
  await mkdir(disk);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
  } catch {
    return createLimitedDisk(disk, store);
  }
  const resize = async (bytes: number): Promise<void> => {
    await run('mount', ['-o', `remount,size=${bytes}`, disk]);
  };
  const root = path.join(disk, 'store');
  if (store !== undefined) await cp(store, root, { recursive: true });
  const { blocks, bfree, bsize } = await statfs(disk);
  await resize((blocks - bfree) * bsize + FREE_BYTES);
  return {
    root,
    error:
      /^generator: The disk of \S+ has \d[\d.]* kB free\. This run writes \d[\d.]* [kM]B and must leave /,
    left: [],
    runShort: (args) => runUnder([], args),
    extend: () => resize(64 * 1_048_576),
    async dispose() {
      await run('umount', [disk]);
    },
  };
}

/** Creates a folder for processes with a limit of a few kilobytes per file. */
export async function createLimitedDisk(folder: string, store?: string): Promise<FullDisk> {
  const root = path.join(folder, 'store');
  if (store !== undefined) await cp(store, root, { recursive: true });
  const limit = ['/bin/sh', '-c', `ulimit -f ${MAX_FILE_BLOCKS}; exec "$@"`, 'sh'];
  return {
    root,
    error: /^generator: [a-z]+ \S+: EFBIG: the file is too large\. Raise the limit \(ulimit -f\) /,
    left: ['store.json'],
    runShort: (args) => runUnder(limit, args),
    extend: () => Promise.resolve(),
    dispose: () => Promise.resolve(),
  };
}

/** Runs the built program so that file permissions apply to it even if this user is root. */
export function runUnprivileged(args: readonly string[]): Promise<GeneratorRun> {
  const wrapper = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
  return runUnder(process.getuid?.() === 0 ? wrapper : [], args);
}

/** Runs the built program by a wrapper program, with only `PATH` in its environment. */
function runUnder(wrapper: readonly string[], args: readonly string[]): Promise<GeneratorRun> {
  const [file = process.execPath, ...rest] = [...wrapper, process.execPath, MAIN, ...args];
  return runProgram(file, rest, { PATH: process.env['PATH'] ?? '' });
}
