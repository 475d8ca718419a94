import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Bundles the script of the pages, which the generator reads, so that suites run without a build. */
export default async function bundleScript() {
  await promisify(execFile)('npm', ['run', '--silent', 'browser'], { cwd: ROOT });
}
