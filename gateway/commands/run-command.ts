import { formatFailure } from '../../infra/process/exit-codes.js';
import { PLAIN, type Paint } from '../../infra/process/paint.js';
import { shownJson } from '../../infra/process/printable.js';
import { createStoppableStore } from '../../infra/store/stoppable-store.js';
import { parseAccountsSettings } from '../core/configuration/accounts-settings.js';
import type { Environment } from '../core/configuration/configuration.js';
import { EXIT_CODES, type ExitName, OperatorError } from '../core/exit-codes.js';
import { createScrubber } from '../core/scrub.js';
import { openAccountsStore } from '../io/accounts/accounts-store.js';
import { createAccounts } from '../io/accounts/accounts.js';
import type { CommandContext, CommonOptions, OpenedAccounts, ServingOptions } from './context.js';
import { explainError } from './explain-error.js';
import { formatShellCommand, wordsOfOption } from '../../infra/process/shell-command.js';

/** The effects that running a command line needs. */
export type RunOptions = {
  /** The words that start the program, for commands to paste. Default: `gateway`. */
  readonly program?: readonly string[];
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Colours outcomes in results that are texts. Default: no colours. */
  readonly paint?: Paint;
  /** True if `print` writes to a terminal that shows bold text. */
  readonly hasColours?: boolean;
  /** Writes diagnostics. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
  readonly env: Environment;
  readonly serving: ServingOptions;
  /** Aborted when the operator interrupts. */
  readonly stopped: AbortSignal;
};

/** Runs the work of a command, and explains a failure. */
export async function runCommand(
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  runOptions: RunOptions & { readonly args: readonly string[] },
): Promise<ExitName> {
  const { now, random, env, stopped, serving, paint = PLAIN } = runOptions;
  const { program = ['gateway'], args } = runOptions;
  let shownDocument: object | undefined;
  const hidden: string[] = [];
  let scrub = (text: string): string => text; // before `hide` is called: `keys create` must print a key
  const print = (text: string): void => runOptions.print(scrub(text));
  const warn = (text: string): void => runOptions.warn(scrub(text));
  try {
    return await work({
      show(document, text) {
        shownDocument = document;
        print(options.json === true ? shownJson(document) : paint(text));
      },
      paint,
      program,
      warn,
      hide(secrets) {
        hidden.push(...secrets);
        scrub = createScrubber(hidden);
      },
      now,
      random,
      env,
      signal: stopped,
      serving,
      openAccounts: () => openAccounts(options, runOptions),
    });
  } catch (error) {
    const { exit, message } = explainError(error);
    const next = findNextCommand({ error, exit }, { program, args });
    if (options.json === true && shownDocument === undefined)
      print(formatFailure(EXIT_CODES, { exit, message, next }));
    warn(`gateway: ${message}`);
    if (next !== undefined) warn(`  ${next}`);
    return exit;
  }
}

async function openAccounts(
  { accountsStore }: CommonOptions,
  { env, now, random, stopped }: RunOptions,
): Promise<OpenedAccounts> {
  const { address, mode, s3 } = parseAccountsSettings(env, accountsStore);
  const store = createStoppableStore(await openAccountsStore(address, { s3, signal: stopped }), stopped);
  return { accounts: createAccounts(store, { now, random, mode }), store, address: store.address };
}

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
