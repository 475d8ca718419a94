import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ignoreAbsent } from './system-error.js';

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
        await file.writeFile(body);
        await file.datasync();
      } finally {
        await file.close();
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

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
