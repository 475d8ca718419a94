import { MAIN, type GeneratorRun } from '../process/generator-run.js';
import { runProgram } from '../process/run-program.js';
import { s3Environment } from '../process/staged-run.js';

/** The result and duration of a run of the built program. */
export type TimedRun = GeneratorRun & { readonly seconds: number };

/** Runs the built program with only the S3 variables in its environment; `changed` replaces some of them. */
export async function runOnS3(
  args: readonly string[],
  changed: Record<string, string> = {},
): Promise<TimedRun> {
  const startedMs = performance.now();
  const run = await runProgram(process.execPath, [MAIN, ...args], { ...s3Environment(), ...changed });
  return { ...run, seconds: (performance.now() - startedMs) / 1000 };
}
