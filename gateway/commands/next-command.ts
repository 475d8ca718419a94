import { formatShellCommand, wordsOfOption } from '../../infra/process/shell-command.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';

/** A command line as it was typed: the words that start the program, and the arguments. */
export type CommandLine = { readonly program: readonly string[]; readonly args: readonly string[] };

/** Returns the command that helps after a failed run, to paste; `undefined` if none does. */
export function findNextCommand(
  { error, exit }: { readonly error: unknown; readonly exit: ExitName },
  { program, args }: CommandLine,
): string | undefined {
  const account = wordsOfOption(args, '--account');
  const store = wordsOfOption(args, '--accounts-store');
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const names = end < 0 ? args : args.slice(0, end);
  const words = wordsFor();
  return words && formatShellCommand([...program, ...words]);

  function wordsFor(): readonly string[] | undefined {
    if (error instanceof OperatorError && error.next !== undefined) return [...error.next, ...store];
    const about = [...(names[0] === 'keys' ? ['keys', 'list'] : ['accounts', 'show']), ...account, ...store];
    switch (exit) {
      case 'conflict':
      case 'store-unavailable':
      case 'billing-unavailable':
        return args;
      case 'refused':
      case 'interrupted':
        return account.length > 0 ? about : args;
      case 'usage':
        return [...names, '--help'];
      default:
        return undefined;
    }
  }
}
