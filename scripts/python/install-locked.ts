import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What is installed, by which file of hashes, and into which folder, which is nobody else's. */
export type LockedInstall = {
  readonly what: string;
  readonly requirements: string;
  readonly folder: string;
};

/**
 * Installs Python packages into an environment of their own, once for each lock; returns its Python.
 * @throws Error with what pip said. There is no going on without.
 */
export function installLocked({ what, requirements, folder }: LockedInstall): string {
  const lock = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const mark = path.join(folder, 'installed');
  const python = path.join(folder, 'venv', 'bin', 'python');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return python;
  process.stderr.write(`installing ${what} into ${path.basename(folder)} (about a minute, once)\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execute('python3', ['-m', 'venv', path.join(folder, 'venv')]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  execute(python, [...pip, '--require-hashes', '-r', requirements]);
  writeFileSync(mark, lock);
  return python;
}

function execute(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const hint = 'Python 3.11 or later with venv is needed (Debian: apt-get install python3-venv)';
  throw new Error(`${program} ${args.join(' ')} failed; ${hint}:\n${error?.message ?? stderr}`);
}
