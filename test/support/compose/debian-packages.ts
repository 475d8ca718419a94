import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';

const FOLDER = path.resolve('.debian');
/** The image of Caddy has a busybox, which its health check runs. */
const NAMES = ['caddy', 'docker-compose', 'busybox'];
const ROOT = path.join(FOLDER, NAMES.join('+'));
const APT_MS = 240_000;

/** A folder with the files of Debian packages, as they would be below `/`. */
export type DebianPackages = {
  readonly root: string;
  /** Variables with which programs of the folder run, also those in Python. */
  readonly env: { readonly PATH: string; readonly PYTHONPATH: string };
};

/**
 * Downloads what the tests of infra/compose need from the Debian that this machine runs, with the packages that the machine
 * lacks for it, and unpacks it into `.debian`, once. The machine itself stays as it is; root is not needed.
 * @throws Error with the output of apt
 */
export function unpackDebianPackages(): DebianPackages {
  if (!existsSync(ROOT)) install();
  return {
    root: ROOT,
    env: {
      PATH: `${path.join(ROOT, 'usr/bin')}:${path.join(ROOT, 'bin')}:/usr/bin:/bin`,
      PYTHONPATH: path.join(ROOT, 'usr/lib/python3/dist-packages'),
    },
  };
}

function install(): void {
  process.stderr.write(`unpacking ${NAMES.join(', ')} of Debian (about ten seconds, once)\n`);
  mkdirSync(FOLDER, { recursive: true });
  const own = mkdtempSync(path.join(FOLDER, 'unpacking-'));
  try {
    const [lists, cache, files] = ['lists', 'cache', 'files'].map((name) => path.join(own, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [`${lists}/partial`, `${cache}/archives/partial`, files])
      mkdirSync(folder, { recursive: true });
    const options = [
      '-qq',
      '-o',
      `Dir::State::lists=${lists}`,
      '-o',
      `Dir::Cache=${cache}`,
      '-o',
      'Debug::NoLocking=1',
      '-o',
      `APT::Sandbox::User=${userInfo().username}`,
    ];
    run('apt-get', [...options, 'update']);
    run('apt-get', [
      ...options,
      'install',
      '--yes',
      '--download-only',
      '--no-install-recommends',
      '--reinstall',
      ...NAMES,
    ]);
    const archives = path.join(cache, 'archives');
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
      run('dpkg-deb', ['--extract', path.join(archives, name), files]);
    if (!existsSync(ROOT)) renameSync(files, ROOT); // another process may have been faster
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: APT_MS });
  if (status === 0) return;
  throw new Error(
    `${program} failed. The tests of infra/compose need Debian's packages, from its mirror or a copy of it.\n${error?.message ?? stderr}`,
  );
}
