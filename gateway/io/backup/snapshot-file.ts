import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, ignoreAbsent, toStoreError } from '../../../infra/store/system-error.js';
import { OperatorError, RUN_AGAIN } from '../../core/exit-codes.js';
import { isSnapshot } from './sealed-snapshot.js';

const OWNER_ONLY = 0o600;
/** More bytes than the header of a snapshot has. */
const BEGINNING_BYTES = 4096;

/**
 * Checks that a file can be written: its folder exists, and the file does not. If it `replaces`, the file can be an earlier
 * snapshot or empty. It is never the file of the key, which would be lost.
 * @throws OperatorError 'usage'; StoreError if the file exists and cannot be read.
 */
export async function assertWritable(file: string, replaces: boolean, keyFile: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  if ((await stat(folder).catch(ignoreAbsent))?.isDirectory() !== true)
    throw new OperatorError(
      'usage',
      `--to: the folder ${folder} does not exist. Create it, with mode 0700.`,
      {
        next: RUN_AGAIN,
      },
    );
  const existing = await stat(file).catch(ignoreAbsent);
  if (existing?.isDirectory() === true)
    throw new OperatorError('usage', `--to: ${file} is a folder. Name a file.`);
  if (await isSameFile(file, keyFile))
    throw new OperatorError('usage', `--to: ${file} is the file of --key-file. Use another name.`);
  if (existing === undefined) return;
  if (!replaces) throw existsAlready(file);
  if (!existing.isFile() || (existing.size > 0 && !isSnapshot(await readBeginning(file))))
    throw new OperatorError(
      'usage',
      `--to: ${file} is not an earlier snapshot, so it was not replaced. Use another name.`,
    );
}

/** Returns whether two paths are one file, also by links. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  if (path.resolve(one) === path.resolve(other)) return true;
  const [a, b] = await Promise.all(
    [one, other].map((file) => stat(file, { bigint: true }).catch(ignoreAbsent)),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

async function readBeginning(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES));
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/**
 * Writes a file that only its owner can read, under a temporary name that is renamed when the file is complete. An
 * existing file is replaced only if `replaces`.
 * @throws OperatorError 'usage' if it exists; StoreError if it cannot be written.
 */
export async function writePrivateFile(file: string, text: string, replaces: boolean): Promise<void> {
  const temporary = `${path.resolve(file)}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', OWNER_ONLY);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (replaces) await rename(temporary, file);
    else await link(temporary, file); // unlike a rename, it fails if the file was created meanwhile
    await flushFolder(path.dirname(temporary));
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existsAlready(file) : toStoreError(error, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Reads a file. @throws OperatorError 'usage' if it cannot be read. */
export async function readSnapshotFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new OperatorError(
      'usage',
      `--from ${file} cannot be read (${code}). Check the path and its permissions.`,
    );
  });
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function existsAlready(file: string): OperatorError {
  return new OperatorError(
    'usage',
    `--to: ${file} exists already. Use another name, or --force to replace it.`,
  );
}
