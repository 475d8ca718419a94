import { count } from '../../../schemas/words.js';
import { formatShellCommand, withoutOption, wordsOfOption } from '../../../infra/process/shell-command.js';
import { type ExitName, GeneratorError } from '../../core/generator-error.js';
import path from 'node:path';
import { directoryOf } from '../../../infra/store/directory/directory-address.js';
import { filePathOf } from '../../../schemas/store-address.js';
import type { StoreFault } from '../../core/store-fault.js';
import { formatInputFault, type InputFault } from '../../core/input/input-series.js';

/** The reason in a command line that the program proposes. It is never published. */
export const REASON_PLACEHOLDER = '<public reason>';

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

/** A command line as it was typed: the words that start the program, and the arguments. */
export type CommandLine = { readonly program: readonly string[]; readonly args: readonly string[] };

/** Returns the command line that publishes exactly the restatements of a plan, with all options that were given. */
export function formatAcceptCommand(
  { program, args }: CommandLine,
  plan: string,
  reason = REASON_PLACEHOLDER,
): string {
  const [, ...options] = ['--accept-restatements', '--plan']
    .reduce(withoutOption, args)
    .filter((arg) => arg !== '--accept-collected');
  const accept = ['--accept-restatements', reason, '--plan', plan];
  return formatShellCommand([...program, 'publish', ...options, ...accept]);
}

/**
 * Returns the arguments of a run so that they mean the same in any directory: paths of stores and inputs are absolute, and
 * the options that only say how the run reports are left out.
 */
export function toPortableArgs(args: readonly string[]): string[] {
  const kept = ['--accept-restatements', '--plan', '--report'].reduce(withoutOption, args);
  return kept
    .map((arg, i) => {
      const [, option, value = arg] = /^(--store|--input)=(.*)$/s.exec(arg) ?? [];
      const name = option ?? kept[i - 1];
      const absolute =
        name === '--store' ? toAbsoluteStore(value) : name === '--input' ? toAbsoluteInput(value) : value;
      return option === undefined ? absolute : `${option}=${absolute}`;
    })
    .filter((arg) => !['--quiet', '--json', '--log-json'].includes(arg));
}

function toAbsoluteStore(address: string): string {
  const directory = directoryOf(address);
  return directory === undefined ? address : `file:${directory}`;
}

function toAbsoluteInput(address: string): string {
  return address.startsWith('s3://') ? address : path.resolve(filePathOf(address) ?? address);
}

/** Numbers of faults that a run shows. */
const MAX_STORE_FAULTS = 100;
const MAX_INPUT_FAULTS = 20;

/** Writes a line of diagnostics for each fault of a store, up to a limit. */
export function warnOfStoreFaults(faults: readonly StoreFault[], warn: (line: string) => void): void {
  const lines = faults.map(({ key, message }) => `${key}: ${message}`);
  warnOf(lines, MAX_STORE_FAULTS, warn);
}

/** Writes a line of diagnostics for each fault of an input, up to a limit. */
export function warnOfInputFaults(faults: readonly InputFault[], warn: (line: string) => void): void {
  warnOf(faults.map(formatInputFault), MAX_INPUT_FAULTS, warn);
}

function warnOf(lines: readonly string[], limit: number, warn: (line: string) => void): void {
  for (const line of lines.slice(0, limit)) warn(line);
  if (lines.length > limit) warn(`... and ${count(lines.length - limit, 'more fault')} (--json lists all)`);
}
