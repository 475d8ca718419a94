import { execFileSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readSourceCommit } from '../../../infra/process/source-commit.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.dispose());

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: folder.path, encoding: 'utf8' }).trim();
}

/** Makes a repository with one committed file, and returns the commit. */
async function commitFile(): Promise<string> {
  await writeFile(path.join(folder.path, 'tracked'), 'one');
  git('init', '--quiet');
  git('add', 'tracked');
  git('commit', '--quiet', '--no-gpg-sign', '--message', 'Add a file');
  return git('rev-parse', 'HEAD');
}

it('returns the commit, whatever files git does not track', async () => {
  const commit = await commitFile();
  await writeFile(path.join(folder.path, 'untracked'), '');
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  expect(readSourceCommit(folder.path)).toBe(commit);
});

it('marks a commit that tracked files differ from', async () => {
  const commit = await commitFile();
  await writeFile(path.join(folder.path, 'tracked'), 'two');
  expect(readSourceCommit(folder.path)).toBe(`${commit}-modified`);
  git('add', 'tracked');
  expect(readSourceCommit(folder.path)).toBe(`${commit}-modified`);
});

it('knows no commit below a repository, without one, and of a damaged one', async () => {
  await commitFile();
  const below = path.join(folder.path, 'below');
  await mkdir(below);
  expect(readSourceCommit(below)).toBeNull();
  await rename(path.join(folder.path, '.git/HEAD'), path.join(folder.path, '.git/OTHER'));
  expect(readSourceCommit(folder.path)).toBeNull();
});
