import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Options for `installLocked`. */
export type LockedInstallOptions = {
  /** Name for messages. */
  readonly what: string;
  /** Path of the requirements file with hashes. */
  readonly requirements: string;
  /** Folder for the virtual environment. An installation replaces it. */
  readonly folder: string;
};

/**
 * Installs Python packages into a virtual environment unless the same lock is installed already. Returns the path of the
 * environment's Python. Several processes can call this at once: each installs, and the first one's folder is kept.
 * @throws Error with the output of pip.
 */
export function installLocked({ what, requirements, folder }: LockedInstallOptions): string {
  const lock = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const marker = path.join(folder, 'installed');
  const python = path.join(folder, 'venv', 'bin', 'python');
  const isInstalled = (): boolean => existsSync(marker) && readFileSync(marker, 'utf8') === lock;
  if (isInstalled()) return python;
  process.stderr.write(`installing ${what} into ${path.basename(folder)} (about a minute, once)\n`);
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  execute('python3', ['-m', 'venv', path.join(own, 'venv')]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  execute(path.join(own, 'venv', 'bin', 'python'), [...pip, '--require-hashes', '-r', requirements]);
  writeFileSync(path.join(own, 'installed'), lock);
  if (!isInstalled()) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(own, folder);
  }
  rmSync(own, { recursive: true, force: true });
  return python;
}

function execute(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const advice = 'Install Python 3.11 or later with venv (Debian: apt-get install python3-venv).';
  throw new Error(`${program} ${args.join(' ')} failed. ${advice}\n${error?.message ?? stderr}`);
}
