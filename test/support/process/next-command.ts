import { formatShellCommand } from '../../../infra/process/shell-command.js';
import type { ProgramRun } from './run-program.js';

/** Checks that the output of a failed run ends with a command to paste that differs from the failed one. */
export function expectAnotherCommand(
  program: 'generator' | 'gateway',
  args: readonly string[],
  { stderr }: ProgramRun,
): void {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!stderr.startsWith('Usage: ')) expect(last).toMatch(new RegExp(`^ {2}${program} `)); // without a command, it is the help
  expect(last).not.toBe(`  ${formatShellCommand([program, ...args])}`);
}
