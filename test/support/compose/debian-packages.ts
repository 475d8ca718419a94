import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';

const FOLDER = path.resolve('.debian');
const APT_MS = 240_000;

/** A folder with the files of Debian packages, as they would be below `/`. */
export type DebianPackages = {
  readonly root: string;
  /** Variables with which programs of the folder run, also those in Python. */
  readonly env: { readonly PATH: string; readonly PYTHONPATH: string };
};

/**
 * Downloads packages of the Debian that this machine runs, with the packages that they need and the machine lacks, and
 * unpacks them into `.debian`, once. The machine itself stays as it is, and needs no root.
 * @throws Error with the output of apt
 */
export function unpackDebianPackages(names: readonly string[]): DebianPackages {
  const root = path.join(FOLDER, [...names].sort().join('+'));
  if (!existsSync(root)) install(names, root);
  return {
    root,
    env: {
      PATH: `${path.join(root, 'usr/bin')}:${path.join(root, 'bin')}:/usr/bin:/bin`,
      PYTHONPATH: path.join(root, 'usr/lib/python3/dist-packages'),
    },
  };
}

function install(names: readonly string[], root: string): void {
  process.stderr.write(`unpacking ${names.join(', ')} of Debian (about ten seconds, once)\n`);
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
      ...['-qq', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`],
      ...['-o', 'Debug::NoLocking=1', '-o', `APT::Sandbox::User=${userInfo().username}`],
    ];
    run('apt-get', [...options, 'update']);
    run('apt-get', [
      ...options,
      'install',
      '--yes',
      '--download-only',
      '--no-install-recommends',
      '--reinstall',
      ...names,
    ]);
    const archives = path.join(cache, 'archives');
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
      run('dpkg-deb', ['--extract', path.join(archives, name), files]);
    renameSync(files, root);
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
