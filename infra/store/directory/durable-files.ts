import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ignoreAbsent } from '../system-error.js';

// Plain file descriptors: a FileHandle owns a native object that only a full garbage collection frees, so that a long
// run would accumulate thousands of them.
const open = promisify(fs.open);
const datasync = promisify(fs.fdatasync);
const sync = promisify(fs.fsync);

/** Number of temporary folders. Files created in one folder contend for the same allocation lock of the file system. */
const FOLDERS = 16;
/** Names of temporary files and of the drafts of locks. Other files are left alone: the folder may be a link. */
const OWN_NAME = /^[0-9a-f]{24}(-\d+)?$/;
/** Age from which a temporary file counts as left by a crashed run: a day. */
const LEFTOVER_MS = 86_400_000;

/** Permissions of the files and folders that are created; the umask can only take some away. */
type Permissions = { readonly file: number; readonly folder: number };

/** The permissions that the umask of the process decides on. */
export const DEFAULT_PERMISSIONS: Permissions = { file: 0o666, folder: 0o777 };

/** Permissions for nobody but the owner. */
export const PRIVATE_PERMISSIONS: Permissions = { file: 0o600, folder: 0o700 };

/** Writes files so that a crash leaves no partial file and no later state without the earlier one. */
type DurableFiles = {
  /** Creates a folder and its parents. */
  readonly ensureFolder: (folder: string) => Promise<void>;
  /** Writes and flushes the bytes under a new temporary name, and resolves to that name. */
  readonly writeTemporary: (body: Uint8Array) => Promise<string>;
  /** Marks `folder` as having an entry that is not flushed yet. */
  readonly markUnflushed: (folder: string) => void;
  /** Flushes all marked folders. */
  readonly flush: () => Promise<void>;
};

/** Creates durable files with temporary names below `temporary`, and removes what crashed runs left there over a day ago. */
export function createDurableFiles(temporary: string, permissions: Permissions): DurableFiles {
  const writer = randomBytes(12).toString('hex');
  let writes = 0;
  const ensured = new Set<string>();
  const unflushed = new Set<string>();

  async function ensureFolder(folder: string): Promise<void> {
    if (ensured.has(folder)) return;
    const created = await mkdir(folder, { recursive: true, mode: permissions.folder });
    if (created !== undefined) {
      for (let each = folder; each.length >= created.length; each = path.dirname(each)) {
        unflushed.add(path.dirname(each));
      }
    }
    ensured.add(folder);
    if (folder.startsWith(temporary)) await removeLeftovers(folder);
  }

  return {
    ensureFolder,
    async writeTemporary(body) {
      const number = (writes += 1);
      const folder = path.join(temporary, String(number % FOLDERS));
      await ensureFolder(folder);
      const name = path.join(folder, `${writer}-${number}`);
      const file = fs.openSync(name, 'wx', permissions.file); // see `writeWhole`
      try {
        writeWhole(file, body);
        await datasync(file);
      } catch (error) {
        await rm(name, { force: true }); // a full disk has no room for a partial file
        throw error;
      } finally {
        fs.closeSync(file);
      }
      return name;
    },
    markUnflushed: (folder) => unflushed.add(folder),
    async flush() {
      const folders = [...unflushed];
      unflushed.clear();
      await Promise.all(folders.map(flushFolder));
    },
  };
}

async function removeLeftovers(folder: string): Promise<void> {
  const oldestMs = Date.now() - LEFTOVER_MS;
  for (const name of (await readdir(folder)).filter((each) => OWN_NAME.test(each))) {
    const file = path.join(folder, name);
    const stats = await stat(file).catch(ignoreAbsent);
    if (stats?.isFile() && stats.mtimeMs < oldestMs) await rm(file, { force: true });
  }
}

/** Writes synchronously: that takes less time than a round trip to the thread pool. A call may write fewer bytes than asked. */
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
