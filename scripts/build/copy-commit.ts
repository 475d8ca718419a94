import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Copies the files of a commit of the repository in `root` to `folder`, which must exist. */
export async function copyCommit(
  root: string,
  commit: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const archive = path.join(folder, 'copy.tar');
  await execute('git', ['archive', '--output', archive, commit], { cwd: root, signal });
  await execute('tar', ['-xf', archive], { cwd: folder, signal });
  await rm(archive);
}
