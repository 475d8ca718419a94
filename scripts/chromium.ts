import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Names under which systems install it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** Without fonts a page is seen without its letters. */
const INSTALL_MS = 240_000;
const PACKAGES = ['chromium', 'fonts-liberation'];

/** The variables that say where the browser is: `CHROMIUM` itself, else `PATH`. */
export type ChromiumVariables = {
  readonly CHROMIUM?: string | undefined;
  readonly PATH?: string | undefined;
};

/**
 * Path of a Chromium: the one that `CHROMIUM` names, else one of `PATH`, else one that is installed now, where the
 * system has apt-get and we are its root. @throws Error that says what to install.
 */
export function requireChromium(variables: ChromiumVariables): string {
  if (variables.CHROMIUM !== undefined && variables.CHROMIUM !== '') return variables.CHROMIUM;
  return findChromium(variables) ?? installChromium(variables);
}

/** Path of the first Chromium of `PATH`. */
function findChromium({ PATH = '' }: ChromiumVariables): string | undefined {
  const files = NAMES.flatMap((name) => PATH.split(path.delimiter).map((folder) => path.join(folder, name)));
  return files.find((file) => isProgram(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // there is none, or not for us
  }
}

function installChromium(variables: ChromiumVariables): string {
  const advice = `the pages are seen in a real Chromium: install one (Debian: apt-get install ${PACKAGES.join(' ')}), or name it by CHROMIUM`;
  if (process.getuid?.() !== 0) throw new Error(advice);
  process.stderr.write('installing chromium (about a minute, once)\n');
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...PACKAGES]]) {
    const { status, stderr, error } = spawnSync('apt-get', args, {
      encoding: 'utf8',
      timeout: INSTALL_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) throw new Error(`${advice}:\n${error?.message ?? stderr}`);
  }
  const found = findChromium(variables);
  if (found === undefined) throw new Error(`${advice}: it was installed, but is not on PATH`);
  return found;
}
