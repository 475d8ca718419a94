import { fileURLToPath } from 'node:url';
import { runCli } from '../../../generator/cli.js';
import type { RunOptions } from '../../../generator/commands/common/run-command.js';
import { EXIT_CODES } from '../../../generator/core/generator-error.js';
import { SILENT } from '../../../generator/run/progress.js';
import { runProgram, type ProgramRun } from './run-program.js';

/** Path of the built program. */
export const MAIN = fileURLToPath(new URL('../../../dist/generator/main.js', import.meta.url));

export type GeneratorRun = ProgramRun;

/** What the program of the tests says it was built from. */
export const BUILD = { version: '0.0.0', commit: null, lockfile_sha256: null };

/**
 * Runs a command line in this process, without progress, at the time `now`. Aborting `signal` interrupts it.
 */
export async function runInProcess(
  args: readonly string[],
  now = '2025-06-01T00:00:00Z',
  {
    signal = new AbortController().signal,
    signingVariables = {},
  }: Partial<Pick<AbortController, 'signal'>> & Pick<RunOptions, 'signingVariables'> = {},
): Promise<GeneratorRun> {
  const out: string[] = [];
  const err: string[] = [];
  const exit = await runCli(args, {
    print: (text) => void out.push(`${text}\n`),
    now: () => Date.parse(now),
    signingVariables,
    build: BUILD,
    interrupted: signal,
    stopped: new AbortController().signal,
    openDiagnostics: () => ({ warn: (text) => void err.push(`${text}\n`), progress: SILENT }),
  });
  return { code: EXIT_CODES[exit].code, stdout: out.join(''), stderr: err.join('') };
}

/** Runs a command line with the built program in a new process, with an empty environment. */
export function runAsProcess(args: readonly string[]): Promise<GeneratorRun> {
  return runProgram(process.execPath, [MAIN, ...args], {});
}
