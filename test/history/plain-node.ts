import { execFile } from 'node:child_process';
import path from 'node:path';
import { ROOT } from './history-data.js';

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The result of a command. */
export type CommandResult = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs Node in the folder of the repository. The exit code of a killed process is -1. */
export function runNode(args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: MOST_OUTPUT_BYTES };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Runs the built generator. */
export function runGenerator(...args: readonly string[]): Promise<CommandResult> {
  return runNode(['dist/generator/main.js', ...args]);
}

/**
 * Runs a program of `programs/` and returns the JSON document that it prints. Arithmetic over years of days belongs there,
 * so that several run at the same time.
 * @throws Error with its output if the program fails.
 */
export async function runProgram(name: string): Promise<unknown> {
  const program = path.join('test', 'history', 'programs', `${name}.ts`);
  const { exitCode, stdout, stderr } = await runNode(['--import', 'tsx', program]);
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}:\n${stderr}`);
  return JSON.parse(stdout);
}
