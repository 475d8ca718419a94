import { StoreError } from './object-store.js';

const REMEDIES: Record<string, string> = {
  ENOSPC: 'the disk is full; free space and run again',
  EDQUOT: 'the disk quota is used up; free space and run again',
  EFBIG:
    'a file may not grow so large; raise the limit (ulimit -f) or choose another file system, and run again',
  EACCES: 'permission denied; give this user the right to read and write there',
  EPERM: 'not permitted; give this user the right to read and write there',
  EROFS: 'the file system is read-only; mount it for writing or choose another store',
  ENOTDIR: 'a part of the path is a file, not a directory; choose another store',
  EMFILE: 'too many open files; raise the limit (ulimit -n) and run again',
  EIO: 'the disk reports an error; check it before running again',
};

/** A system's error as a store's, with the path and what to do; any other error as it is. */
export function toStoreError(error: unknown, root: string): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof StoreError) return error;
  const { path: where = root, syscall = 'access' } = error as NodeJS.ErrnoException; // it has a system code
  const remedy = REMEDIES[code] ?? 'the store cannot be used; mend that and run again';
  return new StoreError('unavailable', `${syscall} ${where}: ${code}: ${remedy}`, { cause: error });
}

/** The code of an error that a system call made; `undefined` for any other. */
export function codeOf(error: unknown): string | undefined {
  // By its marks, not its class: an error may come from another realm than this code.
  const marked = typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
  return marked ? String(error.code) : undefined;
}

/** `undefined` where nothing lies at the path; throws every other error on. */
export function ignoreAbsent(error: unknown): undefined {
  if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
  throw error;
}
