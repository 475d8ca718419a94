import path from 'node:path';
import type { RunOptions } from '../../../generator/commands/common/run-command.js';
import { runInProcess, type GeneratorRun } from '../process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../process/temporary-folder.js';

/** The time of the runs, unless a test names another. */
export const NOW = '2025-06-01T00:00:00Z';
export const SITE = 'https://data.example.com';

/** What `keys show --json` prints. */
export type Shown = {
  readonly trust: string;
  readonly key_set: {
    readonly version: number;
    readonly keys: readonly {
      readonly kid: string;
      readonly valid_until: string;
      readonly revoked: object | null;
    }[];
  };
};

/** Runs commands in a new folder for each test. */
export type KeyRuns = {
  readonly file: (name: string) => string;
  /** Runs a command line; `key` names the file of the release key, `trust` is the trust anchor of the environment. */
  readonly run: (
    args: readonly string[],
    now?: string,
    key?: string,
    trust?: string,
  ) => Promise<GeneratorRun>;
  /** Runs a command for the key set `keys.jws`. */
  readonly keys: (command: string, ...options: string[]) => Promise<GeneratorRun>;
  /** Makes `keys.jws` with the root key `root.pem` and the release key `one.pem`. */
  readonly init: (...options: string[]) => Promise<GeneratorRun>;
  readonly rotate: (...options: string[]) => Promise<GeneratorRun>;
  readonly show: () => Promise<Shown>;
};

/** Prepares a folder before each test of a file, and removes it afterwards. */
export function useKeyRuns(): KeyRuns {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await createTemporaryFolder();
  });
  afterEach(() => folder.dispose());
  const file = (name: string): string => path.join(folder.path, name);
  const run: KeyRuns['run'] = (args, now = NOW, key, trust) => {
    const signingVariables: RunOptions['signingVariables'] = {
      CRD_SIGNING_KEY_FILE: key && file(key),
      CRD_SIGNING_TRUST: trust,
    };
    return runInProcess(args, now, { signingVariables });
  };
  const keys: KeyRuns['keys'] = (command, ...options) =>
    run(['keys', command, '--keys', file('keys.jws'), ...options]);
  return {
    file,
    run,
    keys,
    init: (...options) =>
      keys(
        'init',
        '--site',
        SITE,
        '--root-key',
        file('root.pem'),
        '--release-key',
        file('one.pem'),
        ...options,
      ),
    rotate: (...options) => keys('rotate', '--root-key', file('root.pem'), ...options),
    show: async () => JSON.parse((await keys('show', '--json')).stdout) as Shown, // our own format
  };
}
