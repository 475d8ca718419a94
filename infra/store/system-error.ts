import { StoreError } from './object-store.js';

const REMEDIES: Record<string, string> = {
  ENOSPC: 'the disk is full. Free some space and run again.',
  EDQUOT: 'the disk quota is used up. Free some space and run again.',
  EFBIG: 'the file is too large. Raise the limit (ulimit -f) or use another file system, and run again.',
  EACCES: 'permission denied. Grant this user read and write access.',
  EPERM: 'operation not permitted. Grant this user read and write access.',
  EROFS: 'the file system is read-only. Mount it for writing or use another store.',
  ENOTDIR: 'part of the path is a file, not a directory. Use another store.',
  EMFILE: 'too many open files. Raise the limit (ulimit -n) and run again.',
  EIO: 'the disk reported an error. Check the disk before you run again.',
};

/** Error codes of link() on a file system without hard links, such as FAT or some network shares. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
const USE_LINKS = 'the file system has no hard links, which a store needs. Use one that has.';

/** Converts a system error to a StoreError with the path and a remedy. Returns any other error unchanged. */
export function toStoreError(error: unknown, root: string): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof StoreError) return error;
  const { path: where = root, syscall = 'access' } = error as NodeJS.ErrnoException; // it has a system code
  const isUnlinkable = syscall === 'link' && NO_LINKS.includes(code);
  const remedy = isUnlinkable
    ? USE_LINKS
    : (REMEDIES[code] ?? 'the store cannot be used. Fix the cause and run again.');
  return new StoreError('unavailable', `${syscall} ${where}: ${code}: ${remedy}`, { cause: error });
}

/** Returns the code of a system error, or `undefined` for any other value. */
export function codeOf(error: unknown): string | undefined {
  // Checks properties instead of the class, because the error may come from another realm, such as Jest's VM context.
  const isSystemError = typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
  return isSystemError ? String(error.code) : undefined;
}

/** Handles a rejection: returns `undefined` if there is no file at the path, and rethrows any other error. */
export function ignoreAbsent(error: unknown): undefined {
  if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
  throw error;
}
