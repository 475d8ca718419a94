import { formatShellCommand } from '../../../infra/process/shell-command.js';
import type { ProgramRun } from './run-program.js';

/** Passes if a failed run of a program ends with a command to paste that is not the one that was refused. */
export function expectAnotherCommand(
  program: 'generator' | 'gateway',
  args: readonly string[],
  { stderr }: ProgramRun,
): void {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!stderr.startsWith('Usage: ')) expect(last).toMatch(new RegExp(`^ {2}${program} `)); // without a command, it is the help
  expect(last).not.toBe(`  ${formatShellCommand([program, ...args])}`);
}
