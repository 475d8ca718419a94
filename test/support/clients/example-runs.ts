import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { objectKey } from '../../../schemas/paths.js';
import { CALENDAR, digestOf, type ServedRelease } from '../gateway/served-release.js';
import { assertSuccess, runProgram } from '../process/run-program.js';
import { environmentOf, copyExamples, type ExampleOptions, type CopiedExamples } from './copied-examples.js';

const LIBRARY_SCRIPTS = path.join(import.meta.dirname, '../../python/clients');

/** Runs of the examples, and of libraries and curl without them. */
export type ExampleRuns = CopiedExamples & {
  /** Runs an example and returns its output. @throws Error if it fails. */
  readonly show: (script: string, args: readonly string[], options: ExampleOptions) => Promise<string>;
  /** Returns the digest of a file in the folder of the examples. */
  readonly digest: (file: string) => Promise<string>;
  /** Reads rows with only a library, by a script of test/python/clients. */
  readonly readByLibrary: (
    script: string,
    args: readonly string[],
    options: ExampleOptions,
  ) => Promise<unknown>;
};

/** Copies the examples to `folder`, to be run with `python`. */
export async function createExampleRuns(folder: string, python: string): Promise<ExampleRuns> {
  const examples = await copyExamples(folder, python);
  return {
    ...examples,
    show: async (script, args, options) =>
      assertSuccess(await examples.run(script, args, options), script).stdout,
    digest: async (file) => sha256Hex(await readFile(path.join(folder, file))),
    async readByLibrary(script, args, options) {
      const line = [path.join(LIBRARY_SCRIPTS, script), ...args];
      const run = await runProgram(python, line, environmentOf(options));
      return JSON.parse(assertSuccess(run, script).stdout) as unknown;
    },
  };
}

/** Returns what curl downloads. @throws Error if it fails. */
export async function curl(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '' };
  return assertSuccess(await runProgram('curl', ['-sS', '--fail', ...args], env), 'curl').stdout;
}

/** Returns the regimes of the available days of the calendar with their numbers of days, the most frequent first. */
export async function countRegimes({ store, ...release }: ServedRelease): Promise<[string, number][]> {
  const object = await store.get(objectKey(await digestOf({ store, ...release }, CALENDAR)));
  const counts = new Map<string, number>();
  const lines = Buffer.from(object?.bytes ?? [])
    .toString()
    .trim()
    .split('\n');
  for (const line of lines) {
    const [, , regime = '', , status] = line.split(',');
    if (status === 'available') counts.set(regime, (counts.get(regime) ?? 0) + 1);
  }
  return [...counts].sort(([one, days], [other, otherDays]) => otherDays - days || (one < other ? -1 : 1));
}
