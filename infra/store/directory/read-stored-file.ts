import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { MAX_OBJECT_BYTES } from '../object-store.js';
import { codeOf, ignoreAbsent } from '../system-error.js';

/** Without O_NONBLOCK, opening a named pipe would wait forever for a writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Reads at most MAX_OBJECT_BYTES of a file. Resolves to `undefined` if there is none, or something else at its path. */
export async function readStoredFile(file: string): Promise<Uint8Array | undefined> {
  const handle = await open(file, FLAGS).catch(ignoreSocket);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    return stats.size > MAX_OBJECT_BYTES ? await readBeginning(handle) : await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function readBeginning(handle: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_OBJECT_BYTES), 0, MAX_OBJECT_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Handles a rejection of open() for a path without a file, or with a socket. */
function ignoreSocket(error: unknown): undefined {
  if (codeOf(error) !== 'ENXIO') ignoreAbsent(error);
  return undefined;
}
