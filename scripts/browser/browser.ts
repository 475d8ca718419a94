import { type Browser, chromium, type Page } from 'playwright-core';
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Starts Chromium, and installs it first if it can. @throws Error if it cannot be installed or does not start. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireChromium(process.env), args: ['--no-sandbox'] });
}

/** Returns the largest contentful paint of a page, in milliseconds since navigation. */
export function largestPaintMs(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
  })`);
}

/** Program names of Chromium on different systems. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const INSTALL_MS = 240_000;
/** Without fonts, Chromium shows no letters. */
const PACKAGES = ['chromium', 'fonts-liberation'];
/** Held while Chromium is installed, so that suites that run at once neither install it twice nor start half of it. */
const LOCK = path.join(os.tmpdir(), 'chain-reference-data-chromium.lock');
const INSTALL = `apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`;

/** Environment variables that locate the browser. */
type ChromiumVariables = {
  readonly CHROMIUM?: string | undefined;
  readonly PATH?: string | undefined;
};

/**
 * Returns the path of Chromium: `CHROMIUM` if set, otherwise the first one on `PATH`. If it is not installed, installs it with
 * apt-get, which needs root. @throws Error that says what to install.
 */
function requireChromium(variables: ChromiumVariables): string {
  if (variables.CHROMIUM !== undefined && variables.CHROMIUM !== '') return variables.CHROMIUM;
  if (existsSync(LOCK)) spawnSync('flock', ['--shared', LOCK, 'true'], { timeout: INSTALL_MS });
  return findChromium(variables) ?? installChromium(variables);
}

function findChromium({ PATH = '' }: ChromiumVariables): string | undefined {
  const files = NAMES.flatMap((name) => PATH.split(path.delimiter).map((folder) => path.join(folder, name)));
  return files.find((file) => isProgram(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // missing, or not executable
  }
}

function installChromium(variables: ChromiumVariables): string {
  const advice = `The page tests need Chromium. Install it (Debian: apt-get install ${PACKAGES.join(' ')}), or set CHROMIUM to its path.`;
  if (process.getuid?.() !== 0) throw new Error(advice);
  process.stderr.write('installing chromium (about a minute, once)\n');
  const { status, stderr, error } = spawnSync('flock', [LOCK, 'sh', '-c', INSTALL], {
    encoding: 'utf8',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`${advice}\n${error?.message ?? stderr}`);
  const found = findChromium(variables);
  if (found === undefined) throw new Error(`Chromium was installed, but is not on PATH. ${advice}`);
  return found;
}
