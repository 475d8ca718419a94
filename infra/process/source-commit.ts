import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the commit that the files of a repository are from, with `-modified` if tracked files differ from it; `null` if
 * `folder` is not the root of a repository, or there is no usable git.
 */
export function readSourceCommit(folder: string): string | null {
  if (!existsSync(path.join(folder, '.git'))) return null;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['--no-optional-locks', ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const commit = git('rev-parse', 'HEAD').trim();
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}-modified`;
  } catch {
    return null;
  }
}
