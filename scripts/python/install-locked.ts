import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Options for `installLocked`. */
type LockedInstallOptions = {
  /** Name for messages. */
  readonly what: string;
  /** Path of the requirements file with hashes. */
  readonly requirements: string;
  /** Folder for the virtual environments. A new lock empties it. */
  readonly folder: string;
};

/**
 * Installs Python packages into a virtual environment unless the same lock is installed already. Returns the path of the
 * environment's Python. Several processes can call this at once: each installs into a folder of its own, and later calls
 * use the environment that was completed last.
 * @throws Error with the output of pip.
 */
export function installLocked({ what, requirements, folder }: LockedInstallOptions): string {
  const lock = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const marker = path.join(folder, 'installed');
  const [known, environment] = existsSync(marker) ? readFileSync(marker, 'utf8').split(' ') : [];
  if (known === lock && environment !== undefined) return pythonOf(environment);
  process.stderr.write(`installing ${what} into ${path.basename(folder)} (about a minute, once)\n`);
  if (known !== undefined) rmSync(folder, { recursive: true, force: true });
  const own = path.join(folder, String(process.pid)); // programs in it contain its path, so that it cannot be moved
  mkdirSync(own, { recursive: true });
  execute('python3', ['-m', 'venv', own]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  execute(pythonOf(own), [...pip, '--require-hashes', '-r', requirements]);
  writeFileSync(`${marker}.${process.pid}`, `${lock} ${own}`);
  renameSync(`${marker}.${process.pid}`, marker);
  return pythonOf(own);
}

const pythonOf = (environment: string): string => path.join(environment, 'bin', 'python');

function execute(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const advice = 'Install Python 3.11 or later with venv (Debian: apt-get install python3-venv).';
  throw new Error(`${program} ${args.join(' ')} failed. ${advice}\n${error?.message ?? stderr}`);
}
