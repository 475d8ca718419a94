import fs, { constants, linkSync, unlinkSync } from 'node:fs';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import { withDirectoryLock } from './directory-lock.js';
import { createDurableFiles, DEFAULT_PERMISSIONS, PRIVATE_PERMISSIONS } from './durable-files.js';
import { assertKey, isKey, isKeyPrefix } from '../object-key.js';
import {
  assertReadable,
  type Etag,
  type ListedObject,
  type ObjectHead,
  type ObjectStore,
  MAX_OBJECT_BYTES,
  type StoredObject,
} from '../object-store.js';
import { codeOf, ignoreAbsent, toStoreError } from '../system-error.js';

const TEMPORARY = '.tmp';
const LOCK = '.lock';
/** Number of listed files between two turns of the event loop. */
const TURN_FILES = 512;

/** Options for `createDirectoryStore`. */
type DirectoryOptions = {
  /** Creates files and folders that only their owner can read, under any umask. */
  readonly isPrivate?: boolean;
};

/**
 * Creates a store in a directory: a key is a path below `root`. Files are written under a temporary name and flushed
 * before they get their own, and folders are flushed before a swap. A crash therefore never leaves a partial file under a
 * key, or a later state without the earlier one.
 */
export function createDirectoryStore(root: string, options: DirectoryOptions = {}): ObjectStore {
  const temporary = path.join(root, TEMPORARY);
  const permissions = options.isPrivate ? PRIVATE_PERMISSIONS : DEFAULT_PERMISSIONS;
  const files = createDurableFiles(temporary, permissions);
  const lock = { path: path.join(root, LOCK), temporaryFolder: temporary, mode: permissions.file };
  const fileOf = (key: string): string => path.join(root, assertKey(key));
  const enqueue = createQueue();

  async function get(key: string, maxBytes?: number): Promise<StoredObject | undefined> {
    return readStoredFile(fileOf(key), maxBytes);
  }

  // link() is atomic: of two concurrent writers, only one creates the name. The calls that only change folders are
  // synchronous, because they take less time than a round trip to the thread pool.
  async function putIfAbsent(key: string, body: Uint8Array): Promise<'created' | 'exists'> {
    assertReadable(key, body);
    const target = fileOf(key);
    await files.ensureFolder(path.dirname(target));
    const written = await files.writeTemporary(body);
    try {
      linkSync(written, target);
      return 'created';
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'exists';
      throw error;
    } finally {
      files.markUnflushed(path.dirname(target)); // also when the name exists: its writer may not have flushed it yet
      unlinkSync(written);
    }
  }

  async function compareAndSwap(
    key: string,
    body: Uint8Array,
    expected: Etag | null,
  ): Promise<Etag | 'conflict'> {
    assertReadable(key, body);
    const target = fileOf(key);
    await files.ensureFolder(path.dirname(target));
    await files.ensureFolder(temporary);
    await files.flush();
    return enqueue(() =>
      withDirectoryLock(lock, async () => {
        const current = await readStoredFile(target);
        if ((current?.etag ?? null) !== expected) return 'conflict';
        await rename(await files.writeTemporary(body), target);
        files.markUnflushed(path.dirname(target));
        await files.flush();
        return etagOf(body);
      }),
    );
  }

  return withStoreErrors(root, {
    address: `file:${root}`,
    get,
    head: async (key) => readHead(fileOf(key), await get(key)),
    putIfAbsent,
    compareAndSwap,
    list: (prefix) => listFolder(root, prefix),
    async delete(key) {
      await unlink(fileOf(key)).catch(ignoreAbsent);
    },
  });
}

async function readHead(file: string, found: StoredObject | undefined): Promise<ObjectHead | undefined> {
  const stats = await stat(file).catch(ignoreAbsent);
  if (found === undefined || stats === undefined) return undefined;
  const { bytes, etag } = found;
  const [sizeBytes, sha256] = [bytes.length, sha256Hex(bytes)];
  return { etag, sizeBytes, sha256, modifiedAtMs: stats.mtimeMs, answeredAtMs: Date.now() };
}

/** Runs tasks one after the other, so that the lock's timeout only applies to other processes. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Converts system errors of every operation to StoreErrors. */
function withStoreErrors(root: string, store: ObjectStore): ObjectStore {
  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, root);
    }
  }
  return {
    address: store.address,
    get: (key, maxBytes) => guard(() => store.get(key, maxBytes)),
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

async function* listFolder(root: string, prefix: string): AsyncIterable<ListedObject> {
  if (!isKeyPrefix(prefix)) return;
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(ignoreAbsent);
  const names = (entries ?? [])
    .filter((entry) => !entry.name.startsWith('.') || isKey(entry.name))
    .map((entry) => folder + entry.name + (entry.isDirectory() ? '/' : ''))
    .sort();
  for (const [i, name] of names.entries()) {
    if (i % TURN_FILES === 0) await nextTurn();
    if (name.endsWith('/')) {
      if (name.startsWith(prefix)) yield* listFolder(root, name);
    } else if (name.startsWith(prefix)) {
      const stats = fs.statSync(path.join(root, name), { throwIfNoEntry: false });
      if (stats) yield { key: name, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs };
    }
  }
}

function etagOf(bytes: Uint8Array): Etag {
  return `"${sha256Hex(bytes)}"`;
}

/** Without O_NONBLOCK, opening a named pipe would wait forever for a writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Size of the pieces in which a file is read of which only the beginning is kept. */
const PIECE_BYTES = 1_000_000;

/**
 * Reads at most `maxBytes` of a file, and the ETag of all of it. Resolves to `undefined` if there is none, or something else at its path. Reading
 * blocks: most objects are small, and four round trips to the thread pool take several times longer than reading one.
 */
async function readStoredFile(file: string, maxBytes = MAX_OBJECT_BYTES): Promise<StoredObject | undefined> {
  await nextTurn(); // so that thousands of reads leave room for timers and signals
  const descriptor = openIfPresent(file);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const limit = Math.min(maxBytes, MAX_OBJECT_BYTES);
    if (stats.size > limit) return readBeginning(descriptor, limit);
    const bytes = fs.readFileSync(descriptor);
    return { bytes, etag: etagOf(bytes) };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Reads the beginning of a file. Its ETag is of the first MAX_OBJECT_BYTES, whatever is kept. */
function readBeginning(descriptor: number, keptBytes: number): StoredObject {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  const bytes = Buffer.alloc(keptBytes);
  for (let at = 0; at < MAX_OBJECT_BYTES;) {
    const length = fs.readSync(descriptor, piece, 0, Math.min(PIECE_BYTES, MAX_OBJECT_BYTES - at), at);
    if (length === 0) break;
    hash.update(piece.subarray(0, length));
    if (at < keptBytes) piece.copy(bytes, at, 0, length);
    at += length;
  }
  return { bytes, etag: `"${hash.digest('hex')}"` };
}

/** Opens a file. Returns `undefined` if there is none, or a socket at its path. */
function openIfPresent(file: string): number | undefined {
  try {
    return fs.openSync(file, FLAGS);
  } catch (error) {
    if (codeOf(error) !== 'ENXIO') ignoreAbsent(error);
    return undefined;
  }
}
