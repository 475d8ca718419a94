import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ignoreAbsent } from './system-error.js';

// Plain descriptors: a FileHandle is an object of the system that only a full garbage collection frees.
const open = promisify(fs.open);
const datasync = promisify(fs.fdatasync);
const sync = promisify(fs.fsync);

/** Files that are born in one folder share a corner of the disk, and its allocator's lock. */
const FOLDERS = 16;
const LEFTOVER_MS = 86_400_000;

/** Writes files so that a crash leaves whole ones, and no later state without the earlier one. */
export type DurableFiles = {
  /** Creates a folder and those above it. */
  readonly ensureFolder: (folder: string) => Promise<void>;
  /** Writes the bytes under a new temporary name, flushed; resolves the name. */
  readonly writeTemporary: (body: Uint8Array) => Promise<string>;
  /** Remembers that `folder` has got an entry that is not yet flushed. */
  readonly note: (folder: string) => void;
  /** Flushes every folder that was noted. */
  readonly flush: () => Promise<void>;
};

/** Durable files with their temporary names below `temporary`; what crashed runs left there for a day is removed. */
export function createDurableFiles(temporary: string): DurableFiles {
  const writer = randomBytes(12).toString('hex');
  let writes = 0;
  const known = new Set<string>();
  const unflushed = new Set<string>();

  async function ensureFolder(folder: string): Promise<void> {
    if (known.has(folder)) return;
    const created = await mkdir(folder, { recursive: true });
    if (created !== undefined) {
      for (let each = folder; each.length >= created.length; each = path.dirname(each)) {
        unflushed.add(path.dirname(each));
      }
    }
    known.add(folder);
    if (folder.startsWith(temporary)) await sweep(folder);
  }

  return {
    ensureFolder,
    async writeTemporary(body) {
      const number = (writes += 1);
      const folder = path.join(temporary, String(number % FOLDERS));
      await ensureFolder(folder);
      const name = path.join(folder, `${writer}-${number}`);
      const file = await open(name, 'wx');
      try {
        writeWhole(file, body);
        await datasync(file);
      } catch (error) {
        await rm(name, { force: true }); // a full disk has no room for half a file
        throw error;
      } finally {
        fs.closeSync(file);
      }
      return name;
    },
    note: (folder) => unflushed.add(folder),
    async flush() {
      const folders = [...unflushed];
      unflushed.clear();
      await Promise.all(folders.map(flushFolder));
    },
  };
}

async function sweep(folder: string): Promise<void> {
  const oldestMs = Date.now() - LEFTOVER_MS;
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const stats = await stat(file).catch(ignoreAbsent);
    if (stats?.isFile() && stats.mtimeMs < oldestMs) await rm(file, { force: true });
  }
}

/** Into the system's memory, at once: that costs less than a turn of the thread pool. A call may write less than asked. */
function writeWhole(file: number, body: Uint8Array): void {
  for (let done = 0; done < body.length;) {
    done += fs.writeSync(file, body, done, body.length - done);
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await sync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
