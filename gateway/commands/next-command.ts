import { formatShellCommand, wordsOfOption } from '../../infra/process/shell-command.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { createScrubber } from '../core/scrub.js';

/** A command line as it was typed: the words that start the program, and the arguments. */
type CommandLine = { readonly program: readonly string[]; readonly args: readonly string[] };

const hideSecrets = createScrubber([]);

/** Returns the command that helps after a failed run, to paste; `undefined` if none does. */
export function findNextCommand(
  { error, exit }: { readonly error: unknown; readonly exit: ExitName },
  { program, args }: CommandLine,
): string | undefined {
  const account = wordsOfOption(args, '--account');
  const store = wordsOfOption(args, '--accounts-store');
  const words = wordsFor();
  return words && hideSecrets(formatShellCommand([...program, ...words]));

  function wordsFor(): readonly string[] | undefined {
    const next = error instanceof OperatorError ? error.next : undefined;
    if (typeof next === 'function') return next(args);
    if (next !== undefined) return [...next, ...store];
    const about = [...(args[0] === 'keys' ? ['keys', 'list'] : ['accounts', 'show']), ...account, ...store];
    switch (exit) {
      case 'conflict':
      case 'store-unavailable':
      case 'billing-unavailable':
        return args;
      case 'usage': // the same command would be refused again
        return [...commandOf(args), '--help'];
      case 'refused':
      case 'interrupted':
        return account.length > 0 ? about : args;
      default:
        return undefined;
    }
  }
}

/** Returns the name of the command and of its group, if it has one: the arguments before the first option. */
function commandOf(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end === -1 ? args : args.slice(0, end);
}
