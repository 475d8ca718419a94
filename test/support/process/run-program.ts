import { execFile } from 'node:child_process';

/** The exit code and output of a program. */
export type ProgramRun = { readonly code: number; readonly stdout: string; readonly stderr: string };

const OUTPUT_BYTES = 64 * 2 ** 20;

/** Runs a program with only these environment variables. @throws Error if a signal ends it. */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, maxBuffer: OUTPUT_BYTES };
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`${program} was killed by a signal: ${stderr}`, { cause: error }));
    });
  });
}

/** Returns the run if it exited with 0. @throws Error with its stderr, or else its stdout, for any other exit code. */
export function assertSuccess<Run extends ProgramRun>(run: Run, program = 'the program'): Run {
  if (run.code !== 0) throw new Error(`${program} exited with ${run.code}: ${run.stderr || run.stdout}`);
  return run;
}
