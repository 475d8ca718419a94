import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../schemas/digest.js';
import { withDirectoryLock } from './directory-lock.js';
import { StoreError, type ListedObject, type ObjectStore } from './object-store.js';

const TEMPORARY = '.tmp';
/** Files that are born in one folder share a corner of the disk, and its allocator's lock. */
const TEMPORARY_FOLDERS = 16;
const LOCK = '.lock';
const LEFTOVER_MS = 86_400_000;
const KEY = /^(?!\.)[A-Za-z0-9._-]+(\/(?!\.)[A-Za-z0-9._-]+)*$/;

/**
 * A store in a directory: a key is a path below `root`. A file is written under a temporary name and flushed before
 * it gets its own, and directories are flushed before a swap, so that a crash leaves whole files and no later state
 * without the earlier one.
 */
export function createDirectoryStore(root: string): ObjectStore {
  const writer = randomBytes(12).toString('hex');
  let writes = 0;
  const known = new Set<string>();
  const unflushed = new Set<string>();
  const fileOf = (key: string): string => {
    if (!KEY.test(key)) throw new TypeError(`not a key: ${key}`);
    return path.join(root, key);
  };

  async function ensureFolder(folder: string): Promise<void> {
    if (known.has(folder)) return;
    const created = await mkdir(folder, { recursive: true });
    if (created !== undefined) {
      for (let each = folder; each.length >= created.length; each = path.dirname(each)) {
        unflushed.add(path.dirname(each));
      }
    }
    known.add(folder);
    if (folder.startsWith(path.join(root, TEMPORARY))) await sweep(folder);
  }

  async function writeTemporary(body: Uint8Array): Promise<string> {
    const number = (writes += 1);
    const folder = path.join(root, TEMPORARY, String(number % TEMPORARY_FOLDERS));
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
  }

  async function flush(): Promise<void> {
    await Promise.all(
      [...unflushed].map(async (folder) => {
        unflushed.delete(folder);
        await flushFolder(folder);
      }),
    );
  }

  const store: ObjectStore = {
    address: `file:${root}`,
    async get(key) {
      const bytes = await readFile(fileOf(key)).catch(ignoreAbsent);
      return bytes && { bytes, etag: etagOf(bytes) };
    },
    async head(key) {
      const found = await store.get(key);
      const stats = found && (await stat(fileOf(key)).catch(ignoreAbsent));
      return (
        stats && {
          etag: found.etag,
          sizeBytes: found.bytes.length,
          sha256: found.etag.slice(1, -1),
          modifiedAtMs: stats.mtimeMs,
        }
      );
    },
    async putIfAbsent(key, body) {
      const target = fileOf(key);
      await ensureFolder(path.dirname(target));
      const temporary = await writeTemporary(body);
      try {
        await link(temporary, target);
        unflushed.add(path.dirname(target));
        return 'created';
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return 'exists';
        throw error;
      } finally {
        await unlink(temporary);
      }
    },
    async compareAndSwap(key, body, expected) {
      const target = fileOf(key);
      await ensureFolder(path.dirname(target));
      await ensureFolder(path.join(root, TEMPORARY));
      await flush();
      return withDirectoryLock(path.join(root, LOCK), path.join(root, TEMPORARY), async () => {
        const current = await readFile(target).catch(ignoreAbsent);
        if ((current ? etagOf(current) : null) !== expected) return 'conflict';
        await rename(await writeTemporary(body), target);
        await flushFolder(path.dirname(target));
        return etagOf(body);
      });
    },
    list: (prefix) => listFolder(root, prefix),
    async delete(key) {
      await rm(fileOf(key), { force: true });
    },
  };
  return withOperatorErrors(store, root);
}

/** Turns the system's errors into a store's, once for every operation. */
function withOperatorErrors(store: ObjectStore, root: string): ObjectStore {
  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, root);
    }
  }
  return {
    address: store.address,
    get: (key) => guard(() => store.get(key)),
    head: (key) => guard(() => store.head(key)),
    putIfAbsent: (key, body, meta) => guard(() => store.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) =>
      guard(() => store.compareAndSwap(key, body, expected, meta)),
    async *list(prefix) {
      try {
        yield* store.list(prefix);
      } catch (error) {
        throw toStoreError(error, root);
      }
    },
    delete: (key) => guard(() => store.delete(key)),
  };
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'the disk is full; free space and run again',
  EDQUOT: 'the disk quota is used up; free space and run again',
  EACCES: 'permission denied; give this user the right to read and write there',
  EPERM: 'not permitted; give this user the right to read and write there',
  EROFS: 'the file system is read-only; mount it for writing or choose another store',
  ENOTDIR: 'a part of the path is a file, not a directory; choose another store',
  EMFILE: 'too many open files; raise the limit (ulimit -n) and run again',
  EIO: 'the disk reports an error; check it before running again',
};

function toStoreError(error: unknown, root: string): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof StoreError) return error;
  const { path: where = root, syscall = 'access' } = error as NodeJS.ErrnoException; // it has a system code
  const remedy = REMEDIES[code] ?? 'the store cannot be used; mend that and run again';
  return new StoreError('unavailable', `${syscall} ${where}: ${code}: ${remedy}`, { cause: error });
}

async function* listFolder(root: string, prefix: string): AsyncIterable<ListedObject> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(ignoreAbsent);
  const names = (entries ?? [])
    .filter((entry) => !entry.name.startsWith('.'))
    .map((entry) => folder + entry.name + (entry.isDirectory() ? '/' : ''))
    .sort();
  for (const name of names) {
    if (name.endsWith('/')) {
      if (name.startsWith(prefix) || prefix.startsWith(name)) yield* listFolder(root, name);
    } else if (name.startsWith(prefix)) {
      const stats = await stat(path.join(root, name)).catch(ignoreAbsent);
      if (stats) yield { key: name, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs };
    }
  }
}

/** Removes what crashed runs left behind. */
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

function etagOf(bytes: Uint8Array): string {
  return `"${sha256Hex(bytes)}"`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && 'syscall' in error ? String(error.code) : undefined;
}

function ignoreAbsent(error: unknown): undefined {
  if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
  throw error;
}
