import { formatShellCommand, wordsOfOption } from '../../../infra/process/shell-command.js';
import { GeneratorError, type ExitName } from '../../core/generator-error.js';
import type { CommandLine } from './accept-command.js';

/** Formats another command of the program on the same S3 server as this run. */
export function formatCommand({ program, args }: CommandLine, words: readonly string[]): string {
  const connection = [...wordsOfOption(args, '--endpoint'), ...args.filter((arg) => arg === '--path-style')];
  return formatShellCommand([...program, ...words, ...connection]);
}

/** Formats this run's own command, to run it again. */
export function formatAgain({ program, args }: CommandLine): string {
  return formatShellCommand([...program, ...args]);
}

/** A run that failed. `command` is the name of its command, with the name of its group: `keys init`. */
type FailedRun = { readonly command: string; readonly error: unknown; readonly exit: ExitName };

/** Returns the command that helps after a failed run, to paste; `undefined` if none does. */
export function findNextCommand(
  { command, error, exit }: FailedRun,
  commandLine: CommandLine,
): string | undefined {
  const { program, args } = commandLine;
  const next = error instanceof GeneratorError ? error.next : undefined;
  const changed = typeof next === 'function' ? next(args) : undefined;
  if (changed !== undefined) return formatShellCommand([...program, ...changed]);
  if (next !== undefined && typeof next !== 'function') return formatCommand(commandLine, next);
  switch (exit) {
    case 'damaged':
      return command === 'verify' || wordsOfOption(args, '--store').length === 0
        ? undefined
        : formatCommand(commandLine, ['verify', ...wordsOfOption(args, '--store')]);
    case 'artifact-invalid':
    case 'bug':
      return undefined;
    case 'usage': // the same command would be refused again
      return formatShellCommand([...program, ...command.split(' '), '--help']);
    default:
      return formatAgain(commandLine);
  }
}
