import path from 'node:path';
import { MAIN } from '../process/generator-run.js';
import { assertSuccess, runProgram, type ProgramRun } from '../process/run-program.js';
import { SITE } from './key-runs.js';

/** The built generator with a release key that the key set of a store lists. */
export type SignedGenerator = {
  /** The trust anchor of the key set. */
  readonly trust: string;
  /** Runs the generator in a new process with the release key. @throws Error if it fails */
  readonly generate: (...args: readonly string[]) => Promise<ProgramRun>;
};

/** Creates keys in a folder, and installs their key set in a store. Releases are signed from `fromSequence` on. */
export async function signStore(folder: string, store: string, fromSequence = 1): Promise<SignedGenerator> {
  const file = (name: string): string => path.join(folder, name);
  const env = { CRD_SIGNING_KEY_FILE: file('release.pem') };
  const generate: SignedGenerator['generate'] = async (...args) =>
    assertSuccess(await runProgram(process.execPath, [MAIN, ...args], env));
  const made = ['--root-key', file('root.pem'), '--release-key', file('release.pem')];
  const keys = ['--keys', file('keys.jws'), '--json'];
  const from = ['--from-sequence', String(fromSequence)];
  const { stdout } = await generate('keys', 'init', '--site', SITE, ...made, ...from, ...keys);
  await generate('keys', 'install', '--store', store, ...keys);
  return { trust: (JSON.parse(stdout) as { trust: string }).trust, generate }; // our own format
}
