import { formatShellCommand, withoutOption } from '../../infra/process/shell-command.js';
import { REASON_PLACEHOLDER } from './options.js';

/** A command line as it was typed: the words that start the program, and the arguments. */
export type CommandLine = { readonly program: readonly string[]; readonly args: readonly string[] };

/** Returns the command line that publishes exactly the restatements of a plan, with all options that were given. */
export function formatAcceptCommand(
  { program, args }: CommandLine,
  plan: string,
  reason = REASON_PLACEHOLDER,
): string {
  const [, ...options] = ['--accept-restatements', '--plan'].reduce(withoutOption, args);
  const accept = ['--accept-restatements', reason, '--plan', plan];
  return formatShellCommand([...program, 'publish', ...options, ...accept]);
}
